/* Maps the layouts that the analyzer publishes, and looks up datatypes in them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layouts.h"

#include "rules.h"

/* Number of MPI_Type_free calls that were entered. Any thread adds to it, before the datatype is freed. Threads that
 * look for a layout compare it with the analyzer's count. */
static _Atomic uint64_t frees;

/* 1: a call that is not recorded has freed a datatype. The analyzer will not learn of it, so no layout is trusted any
 * more. Set by any thread, and never cleared. */
static _Atomic int freed_unseen;

static const struct mv_layouts *map_layouts(const char *dir)
{
    char name[sizeof mv_g.name];
    int d = dir[0] == '/' ? mv_open_directory(dir) : -1;
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
    if (m->magic == MV_MAGIC_LAYOUTS && m->version == MV_VERSION && m->size == (uint64_t)st.st_size &&
        m->slot_bits > 0 && m->slot_bits < 32 && m->header_size >= sizeof *m && !(m->header_size % 8) &&
        m->header_size + (sizeof(struct mv_layout_slot) << m->slot_bits) <= m->size)
        return m;
    munmap(m, (size_t)st.st_size);
    return NULL;
}

/* The layouts of this process, NULL until the analyzer has made them. */
static const struct mv_layouts *layouts(void)
{
    static const struct mv_layouts *_Atomic mapped; /* set once, by the first thread that maps them */
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
        __atomic_store_n(&page->layouts, 0, __ATOMIC_RELAXED); /* it cannot be mapped: do not try again */
    else if (!atomic_compare_exchange_strong(&mapped, &other, m)) {
        munmap((void *)(uintptr_t)m, m->size);
        m = other;
    }
    errno = e;
    return m;
}

struct mv_layout mv_layout(uint64_t handle)
{
    const struct mv_layouts *m;
    if (atomic_load(&mv_g.inert) || atomic_load(&freed_unseen) || !(m = layouts()))
        return (struct mv_layout){NULL, 0};
    return mv_layout_find(m, m->size, atomic_load(&frees), handle);
}

uint64_t mv_type_frees(void) { return atomic_load(&frees); }

void mv_type_free(struct mv_thread *t, uint64_t handle)
{
    if (t)
        atomic_fetch_add(&frees, 1);
    else if (!mv_inside() || mv_layout(handle).words) /* otherwise it is a datatype of MPI's own */
        atomic_store(&freed_unseen, 1);
}
