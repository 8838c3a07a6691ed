/*
 * Joining the session: mapping its control file and making this process's page. What the environment says is
 * checked before it is believed; anything odd and the library stays inert.
 *
 * Runs in the constructor: silent, errno preserved, no file descriptor kept, the environment left alone so that
 * programs started from here join as well.
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

#include "layout.h"
#include "sums.h"

_Static_assert(sizeof(struct mv_process) <= 4096, "a process's page is one page");

struct mv_global mv_g;

uint64_t mv_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Opens a session directory if it is one that only this user can write to. */
static int open_directory(const char *dir)
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

/* Makes the file ".name" of that size, with all its blocks, so that no later write can fail. 0 or an errno. */
int mv_create(const char *dir, const char *name, uint64_t size, int *out_fd)
{
    char hidden[64];
    struct rlimit limit;
    /* Beyond this limit the kernel would send SIGXFSZ. */
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size)
        return EFBIG;
    int d = open_directory(dir);
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

/* Gives the file ".name" its name; a file that has it already is left alone. 0 or an errno. */
int mv_reveal(const char *dir, const char *name)
{
    char hidden[64];
    int d = open_directory(dir);
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
    int d = open_directory(mv_g.session);
    if (d < 0)
        return -1;
    int fd = openat(d, "control", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    int e = errno;
    close(d);
    errno = e;
    return fd;
}

/* Whether there is no process with the analyzer's number, as far as this process can see. It takes no file descriptor. */
static int analyzer_vanished(void)
{
    const struct mv_control *c = mv_g.control;
    struct stat st;
    return c->analyzer && c->namespace && !stat("/proc/self/ns/pid", &st) && st.st_ino == c->namespace &&
           kill((pid_t)c->analyzer, 0) && errno == ESRCH;
}

/* Whether the analyzer has ended: it holds a lock on the control file as long as it lives. MV_NO_SESSION: the session has, so
 * that nobody will look at what is recorded. */
int mv_analyzer_gone(void)
{
    if (atomic_load_explicit((_Atomic uint32_t *)&mv_g.control->stop, memory_order_relaxed))
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

/* Has the analyzer look at this process: it is told of files that are closed. */
void mv_wake_analyzer(void)
{
    int d = open_directory(mv_g.session);
    int fd = d < 0 ? -1 : openat(d, mv_g.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (d >= 0)
        close(d);
    if (fd >= 0)
        close(fd);
}

static struct mv_control *map_control(void)
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
        c->table_hash == mv_table_hash && c->ring_size >= MV_RING_MIN && !(c->ring_size & (c->ring_size - 1)) &&
        !c->stop && memchr(c->fallback, 0, sizeof c->fallback))
        return c;
    munmap(c, sizeof *c);
    return NULL;
}

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
    static const char *const size[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", NULL};
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

/* Leaves a copy of the descriptor open, with a number that no program cares about. The kernel closes the highest numbers
 * first when a process is killed, so that the analyzer knows of it before a launcher that sees its connections closed can
 * kill others. Returns it, or -1. */
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
    /* k counts the exec()s of this process; a file left by another one that had the same pid counts as well. */
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

/* MPI_Type_free calls that were entered. */
static _Atomic uint64_t frees;
/* A datatype was freed unrecorded: the analyzer will not learn of it, so layouts are not to be believed any more. */
static _Atomic int freed_unseen;

static const struct mv_layouts *map_layouts(const char *dir)
{
    char name[sizeof mv_g.name];
    int d = dir[0] == '/' ? open_directory(dir) : -1;
    if (d < 0)
        return NULL;
    memcpy(name, mv_g.name, sizeof name);
    name[0] = 'l';
    int fd = openat(d, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    close(d);
    if (fd < 0)
        return NULL;
    struct stat st;
    struct mv_layouts *m = NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size >= (off_t)sizeof *m) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
        if (p != MAP_FAILED)
            m = p;
    }
    close(fd);
    if (!m)
        return NULL;
    if (m->magic == MV_MAGIC_LAYOUTS && m->version == MV_VERSION && m->size == (uint64_t)st.st_size && m->slot_bits > 0 &&
        m->slot_bits < 32 && m->header_size >= sizeof *m && !(m->header_size % 8) &&
        m->header_size + (sizeof(struct mv_layout_slot) << m->slot_bits) <= m->size)
        return m;
    munmap(m, (size_t)st.st_size);
    return NULL;
}

/* The layouts of this process, mapped when the analyzer has made them; NULL before. */
static const struct mv_layouts *layouts(void)
{
    static const struct mv_layouts *_Atomic mapped;
    const struct mv_layouts *m = atomic_load_explicit(&mapped, memory_order_acquire);
    struct mv_process *page = mv_page();
    if (m || !page || !__atomic_load_n(&page->layouts, __ATOMIC_ACQUIRE))
        return m;
    int e = errno;
    m = map_layouts(mv_g.session);
    if (!m)
        m = map_layouts(mv_g.control->fallback);
    const struct mv_layouts *other = NULL;
    if (!m)
        __atomic_store_n(&page->layouts, 0, __ATOMIC_RELAXED); /* it can't be had: look no more */
    else if (!atomic_compare_exchange_strong(&mapped, &other, m)) {
        munmap((void *)(uintptr_t)m, m->size);
        m = other;
    }
    errno = e;
    return m;
}

/*
 * Where the data of a datatype lie, as the analyzer has found out: no words if that is not known, or not yet. The program
 * stays valid when the datatype is freed.
 */
struct mv_layout mv_layout(uint64_t handle)
{
    const struct mv_layouts *m;
    if (atomic_load(&mv_g.inert) || atomic_load(&freed_unseen) || !(m = layouts()))
        return (struct mv_layout){NULL, 0};
    return mv_layout_find(m, m->size, atomic_load(&frees), handle);
}

/* MPI_Type_free calls that were entered so far. */
uint64_t mv_type_frees(void) { return atomic_load(&frees); }

/* MPI_Type_free is entered, by a call that is recorded if t is set. */
void mv_type_free(struct mv_thread *t, uint64_t handle)
{
    if (t)
        atomic_fetch_add(&frees, 1);
    else if (!mv_inside() || mv_layout(handle).words) /* else it is MPI's own datatype */
        atomic_store(&freed_unseen, 1);
}

static const int everywhere = 1;
const int *mv_home = &everywhere;

/* Has the kernel say who is at home. Where it can't (before Linux 4.14), only fork() is noticed. */
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

/* Whether this is the process that the rings are of. A child that shares all memory, as vfork makes them, has another number. Safe
 * in a signal handler. */
int mv_at_home(void) { return *mv_home && getpid() == mv_g.pid; }

/* This process's page, NULL if it has none. */
struct mv_process *mv_page(void)
{
    struct mv_process *p = atomic_load(&mv_g.page);
    return p && mv_at_home() ? p : NULL;
}

/* A child made by fork() is not the process that its page and rings tell of. */
static void in_child(void)
{
    static const int nowhere = 0;
    mv_home = &nowhere;
    atomic_store(&mv_g.inert, 1);
    atomic_store(&mv_g.page, NULL);
    mv_tls.ready = NULL;
    mv_tls.off = 1;
}

static void join(void)
{
    const char *dir = secure_getenv("MPIVET_SESSION");
    if (!dir || dir[0] != '/' || strlen(dir) >= sizeof mv_g.session)
        return;
    strcpy(mv_g.session, dir);
    struct mv_control *c = map_control();
    if (!c)
        return;
    struct mv_process *page = make_page(dir);
    if (!page && c->fallback[0] == '/')
        page = make_page(c->fallback);
    if (!page || pthread_atfork(NULL, NULL, in_child)) {
        atomic_fetch_add((_Atomic uint32_t *)&c->unrecorded, 1);
        return;
    }
    find_home();
    mv_g.control = c;
    mv_sums_start((int)c->sums, c->sum_limit);
    atomic_store(&mv_g.page, page);
    atomic_store(&mv_g.inert, 0);
    mv_end_start();
    mv_signals_start();
}

/* Called by the constructor, or by the first MPI call if another library's constructor makes that one earlier. */
void mv_start(void)
{
    static _Atomic int begun;
    if (atomic_exchange(&begun, 1))
        return;
    int e = errno;
    atomic_store(&mv_g.inert, 1);
    mv_g.pid = getpid();
    join();
    errno = e;
}

__attribute__((constructor)) static void constructed(void) { mv_start(); }
