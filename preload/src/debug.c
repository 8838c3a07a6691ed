/* The roots of the tables that debuggers read, and the file in which the analyzer tells them what it knows. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debug.h"
#include "real.h"

#define MV_MAY_FORMAT /* names of files */
#define MV_MAY_START  /* a handler of fork */
#include "rules.h"

_Static_assert(MV_NOW % 64 == 0, "a record's first lines are copied");

/* Threads add themselves by compare-and-swap. Everything else is written at the start, or with a lock of others. */
MV_EXPORT struct mv_debug mpivet_debug;

#define NAMES (32 << 10)
static unsigned char names[NAMES];
static unsigned ntables;

/* The tables are those of the parent. */
static void in_child(void) { __atomic_store_n(&mpivet_debug.magic, 0, __ATOMIC_RELAXED); }

void mv_debug_start(uint64_t table_hash)
{
    struct mv_debug *d = &mpivet_debug;
    char path[64];
    d->version = MV_VERSION;
    d->header_size = sizeof *d;
    d->table_hash = table_hash;
    d->names = (uintptr_t)names;
    d->rank = d->size = -1;
    d->beat = (uintptr_t)&mv_g.control->beat;
    snprintf(path, sizeof path, "/proc/%u/exe", mv_g.control->analyzer);
    const ssize_t n = readlink(path, d->program, sizeof d->program - 1);
    d->program[n > 0 ? n : 0] = 0;
    if (!pthread_atfork(NULL, NULL, in_child))
        __atomic_store_n(&d->magic, MV_MAGIC_DEBUG, __ATOMIC_RELEASE);
}

/* The path of the library that shows message queues. Debuggers look for this name. MPI libraries may have the same
 * symbol. This one comes first, as this library is preloaded. */
#ifndef MV_LINKED
MV_EXPORT char MPIR_dll_name[4096];
#endif

void mv_debug_library(const char *path)
{
#ifdef MV_LINKED
    (void)path; /* a static MPI library has the symbol, so this one cannot */
#else
    if (!path[0])
        path = mv_symbol_hidden("MPIR_dll_name");
    if (path)
        memcpy(MPIR_dll_name, path, strnlen(path, sizeof MPIR_dll_name - 1));
#endif
}

/* Makes the file in a session directory. */
static struct mv_told *make_told(const char *dir)
{
    char name[48];
    int fd;
    /* "d<pid>.<k>", the second part as in the process's name */
    snprintf(name, sizeof name, "d%s", mv_g.name + 1);
    if (dir[0] != '/' || mv_create(dir, name, MV_TOLD_SIZE, &fd))
        return NULL;
    struct mv_told *t = mmap(NULL, MV_TOLD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (t == MAP_FAILED)
        t = NULL;
    if (t) {
        t->magic = MV_MAGIC_TOLD;
        t->version = MV_VERSION;
        t->header_size = sizeof *t;
        t->size = MV_TOLD_SIZE;
        if (!mv_reveal(dir, name))
            return t;
        munmap(t, MV_TOLD_SIZE);
    }
    char path[sizeof mv_g.session + 64];
    snprintf(path, sizeof path, "%s/.%s", dir, name);
    unlink(path);
    return NULL;
}

void mv_debug_world(int rank, int size, unsigned handle_size)
{
    struct mv_debug *d = &mpivet_debug;
    const int e = errno;
    d->rank = rank;
    d->size = size;
    d->handle_size = handle_size;
    if (!d->told) {
        struct mv_told *t = make_told(mv_g.session);
        if (!t)
            t = make_told(mv_g.control->fallback);
        d->told_size = t ? MV_TOLD_SIZE : 0;
        __atomic_store_n(&d->told, (uintptr_t)t, __ATOMIC_RELEASE);
    }
    errno = e;
}

void mv_debug_thread(struct mv_debug_thread *d)
{
    uint64_t first = __atomic_load_n(&mpivet_debug.threads, __ATOMIC_RELAXED);
    do {
        d->next = first;
    } while (!__atomic_compare_exchange_n(&mpivet_debug.threads, &first, (uintptr_t)d, 1, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
}

struct mv_debug_thread *mv_debug_threads(void)
{
    return (struct mv_debug_thread *)(uintptr_t)__atomic_load_n(&mpivet_debug.threads, __ATOMIC_ACQUIRE);
}

void mv_debug_objects(const struct mv_object *table, uint32_t count)
{
    if (ntables == sizeof mpivet_debug.objects / sizeof mpivet_debug.objects[0])
        return;
    __atomic_store_n(&mpivet_debug.objects[ntables], (uintptr_t)table, __ATOMIC_RELAXED);
    __atomic_store_n(&mpivet_debug.object_count[ntables++], count, __ATOMIC_RELEASE);
}

void mv_debug_names(const unsigned char *list, size_t used)
{
    const uint64_t n = mpivet_debug.names_used;
    if (used > NAMES - n)
        return;
    memcpy(names + n, list, used);
    __atomic_store_n(&mpivet_debug.names_used, n + used, __ATOMIC_RELEASE);
}

void mv_debug_kept(const void *buckets, unsigned bits)
{
    mpivet_debug.kept_bits = bits;
    __atomic_store_n(&mpivet_debug.kept, (uintptr_t)buckets, __ATOMIC_RELEASE);
}

void mv_debug_forgotten(void) { __atomic_fetch_add(&mpivet_debug.forgotten, 1, __ATOMIC_RELAXED); }
