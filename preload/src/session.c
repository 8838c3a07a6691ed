/*
 * Joins the session: maps its control file, and makes the page of this process. The values of the environment are
 * checked before they are used. If anything is wrong, the library stays inert.
 *
 * mv_session_join runs in the constructor. It is silent, and leaves the environment unchanged, so that programs started
 * from here join as well. One file descriptor stays open: see keep_open.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session.h"
#include "tls.h"

#define MV_MAY_FORMAT /* names of files */
#define MV_MAY_START  /* the environment is read once, before MPI is initialized */
#include "rules.h"

_Static_assert(sizeof(struct mv_process) <= 4096, "a process's page is one page");

struct mv_global mv_g;
int mv_sums;
uint64_t mv_sum_limit;

uint64_t mv_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int mv_open_directory(const char *dir)
{
    struct stat st;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Writes zeros, so that the file has all its blocks. Returns 0 or an errno. */
static int fill(int fd, uint64_t size)
{
    static const char zeros[4096];
    for (uint64_t at = 0; at < size;) {
        const uint64_t left = size - at;
        const ssize_t n = pwrite(fd, zeros, left < sizeof zeros ? left : sizeof zeros, (off_t)at);
        if (n > 0)
            at += (uint64_t)n;
        else if (n == 0 || errno != EINTR)
            return n ? errno : ENOSPC;
    }
    return 0;
}

int mv_create(const char *dir, const char *name, uint64_t size, int *out_fd)
{
    char hidden[64];
    struct rlimit limit;
    /* The kernel would send SIGXFSZ. */
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size)
        return EFBIG;
    int d = mv_open_directory(dir);
    if (d < 0)
        return EACCES;
    snprintf(hidden, sizeof hidden, ".%s", name);
    int e = 0;
    int fd = openat(d, hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        e = errno ? errno : EACCES;
    } else {
        do
            e = posix_fallocate(fd, 0, (off_t)size);
        while (e == EINTR);
        if (e == ENOSYS || e == EPERM) /* refused by a filter of system calls */
            e = fill(fd, size);
        if (e) {
            close(fd);
            unlinkat(d, hidden, 0);
        } else {
            *out_fd = fd;
        }
    }
    close(d);
    return e;
}

int mv_reveal(const char *dir, const char *name)
{
    char hidden[64];
    int d = mv_open_directory(dir);
    if (d < 0)
        return EACCES;
    snprintf(hidden, sizeof hidden, ".%s", name);
    int e = linkat(d, hidden, d, name, 0) ? errno : 0;
    if (e == EPERM || e == EOPNOTSUPP || e == ENOSYS) /* a file system without hard links */
        e = renameat(d, hidden, d, name) ? errno : 0;
    else
        unlinkat(d, hidden, 0);
    close(d);
    return e;
}

static int control_fd(void)
{
    int d = mv_open_directory(mv_g.session);
    if (d < 0)
        return -1;
    int fd = openat(d, "control", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    int e = errno;
    close(d);
    errno = e;
    return fd;
}

/* Whether the analyzer's process is known to have ended. Needs no file descriptor. */
static int analyzer_vanished(void)
{
    const struct mv_control *c = mv_g.control;
    struct stat st;
    return c->analyzer && c->namespace && !stat("/proc/self/ns/pid", &st) && st.st_ino == c->namespace &&
           kill((pid_t)c->analyzer, 0) && errno == ESRCH;
}

/* The analyzer holds a lock on the control file as long as it lives. */
int mv_analyzer_gone(void)
{
    if (__atomic_load_n(&mv_g.control->stop, __ATOMIC_RELAXED))
        return MV_NO_SESSION;
    errno = 0;
    int fd = control_fd();
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        return analyzer_vanished();
    if (fd < 0)
        return errno == ENOENT ? MV_NO_SESSION : 0;
    int gone = flock(fd, LOCK_SH | LOCK_NB) == 0;
    close(fd);
    return gone;
}

/* The kernel reports to the analyzer when a file that was open for writing is closed. */
void mv_wake_analyzer(void)
{
    int d = mv_open_directory(mv_g.session);
    int fd = d < 0 ? -1 : openat(d, mv_g.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (d >= 0)
        close(d);
    if (fd >= 0)
        close(fd);
}

static struct mv_control *map_control(uint64_t table_hash)
{
    struct stat st;
    int fd = control_fd();
    if (fd < 0)
        return NULL;
    struct mv_control *c = NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size >= (off_t)sizeof *c) {
        void *p = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p != MAP_FAILED)
            c = p;
    }
    close(fd);
    if (!c)
        return NULL;
    if (c->magic == MV_MAGIC_CONTROL && c->version == MV_VERSION && c->header_size >= sizeof *c &&
        c->table_hash == table_hash && c->ring_size >= MV_RING_MIN && !(c->ring_size & (c->ring_size - 1)) &&
        !c->stop && memchr(c->fallback, 0, sizeof c->fallback))
        return c;
    munmap(c, sizeof *c);
    return NULL;
}

/* The first of these environment variables that is a number, or -1. */
static int number(const char *const *names)
{
    for (; *names; names++) {
        const char *s = getenv(*names);
        char *end;
        if (!s || !*s)
            continue;
        long v = strtol(s, &end, 10);
        if (!*end && v >= 0 && v <= INT32_MAX)
            return (int)v;
    }
    return -1;
}

static void fill_page(struct mv_process *p)
{
    static const char *const rank[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID", NULL};
    static const char *const size[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS",
                                       NULL};
    p->magic = MV_MAGIC_PROCESS;
    p->version = MV_VERSION;
    p->header_size = sizeof *p;
    p->pid = (uint32_t)mv_g.pid;
    p->ppid = (uint32_t)getppid();
    p->rank = number(rank);
    p->world_size = p->rank < 0 ? -1 : number(size);
    p->start_time = mv_now();
    ssize_t n = readlink("/proc/self/exe", p->exe, sizeof p->exe - 1);
    if (n < 0)
        n = 0;
    p->exe[n] = 0;
}

/* Leaves a copy of the descriptor open, with a high number that programs do not use. When a process is killed, the
 * kernel closes the highest numbers first. So the analyzer learns of it before the launcher sees its connection closed
 * and kills other processes. Returns the copy, or -1. */
static int keep_open(int fd)
{
    struct rlimit limit;
    rlim_t highest = 1000;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur <= highest)
        highest = limit.rlim_cur ? limit.rlim_cur - 1 : 0;
    return fcntl(fd, F_DUPFD_CLOEXEC, (int)highest);
}

static struct mv_process *make_page(const char *dir)
{
    /* k counts the exec() calls of this process. A file of an earlier process with the same number counts as well. */
    for (int k = 0; k < 10000; k++) {
        int fd, e;
        snprintf(mv_g.name, sizeof mv_g.name, "p%d.%d", (int)mv_g.pid, k);
        char path[sizeof mv_g.session + 64];
        snprintf(path, sizeof path, "%s/%s", dir, mv_g.name);
        if (!faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
            continue;
        e = mv_create(dir, mv_g.name, 4096, &fd);
        if (e == EEXIST)
            continue;
        if (e)
            return NULL;
        void *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        int kept = keep_open(fd);
        close(fd);
        if (m != MAP_FAILED) {
            fill_page(m);
            e = mv_reveal(dir, mv_g.name);
            if (!e)
                return m;
            munmap(m, 4096);
        }
        if (kept >= 0)
            close(kept);
        if (m == MAP_FAILED)
            return NULL;
        if (e != EEXIST)
            return NULL;
    }
    return NULL;
}

static const int everywhere = 1;
const int *mv_home = &everywhere;

/* Makes the kernel empty the page at mv_home in children. If it cannot (before Linux 4.14), only fork() is noticed. */
static void find_home(void)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    int *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    *p = 1;
    if (madvise(p, size, MADV_WIPEONFORK) || mprotect(p, size, PROT_READ))
        munmap(p, size);
    else
        mv_home = p;
}

/* A child made by vfork shares all memory, but has another process number. */
int mv_at_home(void) { return *mv_home && getpid() == mv_g.pid; }

struct mv_process *mv_page(void)
{
    struct mv_process *p = atomic_load(&mv_g.page);
    return p && mv_at_home() ? p : NULL;
}

/* Runs in a child that fork() has made: the page and the rings belong to its parent. */
static void in_child(void)
{
    static const int nowhere = 0;
    mv_home = &nowhere;
    atomic_store(&mv_g.inert, 1);
    atomic_store(&mv_g.page, NULL);
    mv_tls.ready = NULL;
    mv_tls.off = 1;
}

/* Reads the session's name. Returns 0 if there is one. */
static int find_session(void)
{
    const char *dir = secure_getenv("MPIVET_SESSION");
    if (!dir || dir[0] != '/' || strlen(dir) >= sizeof mv_g.session)
        return -1;
    strcpy(mv_g.session, dir);
    return 0;
}

void mv_session_outdated(uint64_t table_hash)
{
    struct mv_control *c = find_session() ? NULL : map_control(table_hash);
    if (c)
        __atomic_fetch_add(&c->outdated, 1, __ATOMIC_SEQ_CST);
}

int mv_session_join(uint64_t table_hash)
{
    struct mv_control *c;
    atomic_store(&mv_g.inert, 1);
    mv_g.pid = getpid();
    if (find_session() || !(c = map_control(table_hash)))
        return -1;
    struct mv_process *page = make_page(mv_g.session);
    if (!page && c->fallback[0] == '/')
        page = make_page(c->fallback);
    if (!page || pthread_atfork(NULL, NULL, in_child)) {
        __atomic_fetch_add(&c->unrecorded, 1, __ATOMIC_SEQ_CST);
        return -1;
    }
    find_home();
    mv_g.control = c;
    mv_sums = (int)c->sums;
    mv_sum_limit = c->sum_limit;
    atomic_store(&mv_g.page, page);
    atomic_store(&mv_g.inert, 0);
    return 0;
}

int mv_stopped(void)
{
    return atomic_load_explicit(&mv_g.inert, memory_order_relaxed) ||
           __atomic_load_n(&mv_g.control->stop, __ATOMIC_RELAXED);
}
