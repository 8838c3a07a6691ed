/* Finds shapes of datatypes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <time.h>

#include "layouts.h"
#include "shape.h"
#include "table.h"
#include "tls.h"

#include "rules.h"

/* Where the data of predefined pairs with gaps lie: a value and then an int, as in a struct of C. */
static const int64_t pairs[][6] = {
    {6, 8, 2, 0, 4, 4},     /* MPI_SHORT_INT */
    {12, 16, 8, 0, 4, 8},   /* MPI_LONG_INT, MPI_DOUBLE_INT */
    {20, 32, 16, 0, 4, 16}, /* MPI_LONG_DOUBLE_INT */
};

#define PREDEFINED_BITS 9

/* Predefined datatypes: a table (table.h). Filled in at the end of MPI_Init, read by any thread. */
static struct predefined {
    _Atomic uint64_t handle; /* key */
    struct mv_shape shape;
} predefined[1 << PREDEFINED_BITS];

static struct predefined *find_predefined(uint64_t handle)
{
    return mv_table_find(predefined, sizeof predefined[0], PREDEFINED_BITS, handle);
}

void mv_shape_predefined(uint64_t handle, int64_t size, int64_t lower, int64_t extent)
{
    struct mv_shape shape = {size, extent, {NULL, 0}};
    struct predefined *p;
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (size == pairs[i][0] && extent == pairs[i][1])
            shape.layout = (struct mv_layout){pairs[i], 6};
    if (!handle || size <= 0 || lower || (extent != size && !shape.layout.words) || find_predefined(handle))
        return;
    if (!(p = mv_table_reserve(predefined, sizeof *p, PREDEFINED_BITS, handle)))
        return;
    p->shape = shape;
    mv_table_publish(p, handle);
}

/* A program may use a datatype as soon as it is committed. The analyzer learns of it a moment later. So a thread waits
 * until the analyzer has read the thread's own records, and a little longer for the records of other threads. It does
 * not wait for the same datatype again, as some have no layout. */
#define PATIENCE 20000000 /* ns */
#define ROUNDS 50         /* maximum number of these times, while the analyzer is busy */
#define NAP 20000

/* Whether the analyzer has read everything that this thread recorded before the call under way. */
static int caught_up(void)
{
    const struct mv_thread *t = mv_tls.mine;
    if (!t || !t->again)
        return 1;
    uint64_t from = t->head;
    if (t->record && !t->borrowed)
        from -= (t->head - (uint64_t)(t->record - t->data)) & t->mask;
    return __atomic_load_n(&t->ring->tail, __ATOMIC_ACQUIRE) >= from;
}

static struct mv_layout patient_layout(uint64_t type)
{
    static _Atomic uint64_t hopeless[64]; /* keys of datatypes without a layout; threads may overwrite each other's */
    _Atomic uint64_t *mark = &hopeless[mv_hash_bits(type, 6)];
    /* If the handle now stands for another datatype, a datatype was freed in between. */
    const uint64_t key = type * 31 + mv_type_frees() + 1;
    struct mv_layout l = mv_layout(type);
    if (l.words || !type || atomic_load(mark) == key)
        return l;
    const struct timespec nap = {0, NAP};
    const int e = errno;
    for (int round = 0, last = 0; !l.words && !last && round < ROUNDS; round++) {
        last = caught_up() || mv_analyzer_gone();
        const uint64_t begin = mv_now();
        while (!l.words && mv_now() - begin < PATIENCE && !atomic_load(&mv_g.inert)) {
            nanosleep(&nap, NULL);
            l = mv_layout(type);
        }
    }
    errno = e;
    if (!l.words)
        atomic_store(mark, key);
    return l;
}

/* The shape of a datatype. layout finds its program, unless the datatype is predefined. */
static struct mv_shape find_shape(uint64_t type, struct mv_layout (*layout)(uint64_t))
{
    const struct predefined *p = find_predefined(type);
    if (p)
        return p->shape;
    const struct mv_layout l = layout(type);
    if (l.words < 2)
        return (struct mv_shape){0};
    return (struct mv_shape){l.program[0], l.program[1], l};
}

struct mv_shape mv_shape_known(uint64_t type) { return find_shape(type, mv_layout); }

struct mv_shape mv_shape_of(uint64_t type)
{
    return find_shape(type, mv_sums == MV_SUMS_ALL ? patient_layout : mv_layout);
}
