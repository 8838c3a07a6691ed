/* The known communicators of the process, and the publication of new ones. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <string.h>

#include "comm.h"
#include "table.h"
#include "world.h"

#include "rules.h"

#define CHUNK 1024
#define SLOTS_BITS 13

/* The communicators: a table (table.h). Threads add and remove them without a lock: MPI gives one handle to one
 * communicator at a time. A program may use a handle only after the call that made it and before the call that frees
 * it. So `known` is not read while it is written. */
static struct slot {
    _Atomic uint64_t comm; /* key */
    struct mv_known known;
} slots[1 << SLOTS_BITS];

/* 1: a communicator was made. Set by the threads that make them, read by any thread. */
static _Atomic int made_one;

static struct slot *slot_of(uint64_t comm) { return mv_table_find(slots, sizeof slots[0], SLOTS_BITS, comm); }

const struct mv_known *mv_known(uint64_t comm)
{
    static const struct mv_known unknown = {.rank = -1};
    const struct slot *s = slot_of(comm);
    return s ? &s->known : &unknown;
}

int mv_comm_made(void) { return atomic_load_explicit(&made_one, memory_order_relaxed); }

void mv_comm_end(void) { atomic_store(&made_one, 0); }

void mv_forget_comm(uint64_t comm, unsigned serial)
{
    struct slot *s = slot_of(comm);
    if (s && s->known.serial == serial)
        mv_table_remove(s);
}

static void remember(uint64_t comm, const struct mv_known *k)
{
    static _Atomic unsigned serials; /* given out so far, by any thread */
    struct slot *s = slot_of(comm);
    if (s) /* its call of MPI_Comm_free has not returned yet, or is not recorded */
        mv_table_remove(s);
    if (!(s = mv_table_reserve(slots, sizeof *s, SLOTS_BITS, comm)))
        return;
    s->known = *k;
    s->known.serial = atomic_fetch_add(&serials, 1) + 1;
    mv_table_publish(s, comm);
}

/* Runs of world ranks (struct mv_run) that grow. */
struct runs {
    struct mv_run *run;
    uint32_t n, max;
};

static void add_rank(struct runs *to, int rank)
{
    struct mv_run *l = to->n ? &to->run[to->n - 1] : NULL;
    if (l && rank < 0 && l->start < 0) {
        l->count++;
    } else if (l && rank >= 0 && l->start >= 0 && (l->count == 1 || rank == l->start + l->stride * l->count)) {
        if (l->count == 1)
            l->stride = rank - l->start;
        l->count++;
    } else if (to->n < to->max) {
        to->run[to->n].start = rank;
        to->run[to->n].stride = rank < 0 ? 0 : 1;
        to->run[to->n++].count = 1;
    } else {
        to->max = 0; /* the rest is missing; the sum of the counts shows this */
    }
}

/* Appends the world ranks of a group as runs, and frees the group. Returns the number of runs. */
static uint32_t add_group(struct runs *to, MPI_Group g, int size)
{
    int in[CHUNK], out[CHUNK];
    MPI_Group world;
    uint32_t before = to->n;
    /* A run never continues in another group. */
    struct runs mine = {to->run + to->n, 0, to->max - to->n};
    for (int first = 0; first < size && mine.max; first += CHUNK) {
        int n = size - first < CHUNK ? size - first : CHUNK;
        for (int i = 0; i < n; i++) {
            in[i] = first + i;
            out[i] = MPI_UNDEFINED;
        }
        if (mv_world_group(&world))
            MV_PMPI(MPI_Group_translate_ranks)(g, n, in, world, out);
        for (int i = 0; i < n && mine.max; i++)
            add_rank(&mine, out[i] == MPI_UNDEFINED ? -1 : out[i]);
    }
    MV_PMPI(MPI_Group_free)(&g);
    to->n = before + mine.n;
    return mine.n;
}

static void find_topology(MPI_Comm comm, struct mv_known *k)
{
    int kind = MPI_UNDEFINED, weighted;
    if (MV_PMPI(MPI_Topo_test)(comm, &kind))
        return;
    if (kind == MPI_CART) {
        MV_PMPI(MPI_Cartdim_get)(comm, &k->dims);
        k->in = k->out = 2 * k->dims;
    } else if (kind == MPI_GRAPH) {
        MV_PMPI(MPI_Graph_neighbors_count)(comm, k->rank, &k->in);
        k->out = k->in;
    } else if (kind == MPI_DIST_GRAPH) {
        MV_PMPI(MPI_Dist_graph_neighbors_count)(comm, &k->in, &k->out, &weighted);
    }
}

/* Publishes the neighbours in a distributed graph, if there is room for them. */
static void publish_neighbours(struct mv_thread *t, MPI_Comm comm, const struct mv_known *k)
{
    struct mv_neighbours h = {(uint32_t)k->in, (uint32_t)k->out};
    size_t edges = (size_t)h.in + h.out, size = edges * sizeof(int32_t);
    int kind = MPI_UNDEFINED;
    if (k->in < 0 || k->out < 0 || size > t->largest - sizeof(struct mv_record) - sizeof h - 64 ||
        MV_PMPI(MPI_Topo_test)(comm, &kind) || kind != MPI_DIST_GRAPH)
        return;
    int *list = mv_grow(&t->runs, 2 * (size + sizeof *list)); /* ranks, and after them weights */
    if (!list)
        return;
    int *weights = list + edges + 1;
    if (MV_PMPI(MPI_Dist_graph_neighbors)(comm, k->in, list, weights, k->out, list + k->in, weights + k->in))
        return;
    unsigned char *r = mv_info(t, MV_NEIGHBOURS, 0, sizeof h + size);
    memcpy(r + sizeof(struct mv_record), &h, sizeof h);
    memcpy(r + sizeof(struct mv_record) + sizeof h, list, size);
    mv_info_end(t, r);
}

/* Publishes a communicator that the call under way has made. from: the communicator with its group. That is the
 * communicator itself, or its parent if it may not be used yet (MPI_Comm_idup). of, made: for mv_object_comm. */
static void publish(struct mv_thread *t, MPI_Comm comm, MPI_Comm from, struct mv_object *of, unsigned made)
{
    struct mv_known k = {0};
    int inter = 0;
    MPI_Group g;
    MV_PMPI(MPI_Comm_size)(from, &k.size);
    MV_PMPI(MPI_Comm_rank)(from, &k.rank);
    MV_PMPI(MPI_Comm_test_inter)(from, &inter);
    if (inter)
        MV_PMPI(MPI_Comm_remote_size)(from, &k.remote);
    else
        find_topology(from, &k);
    remember(MV_HANDLE(comm), &k);

    size_t room = t->largest - sizeof(struct mv_record) - sizeof(struct mv_comm) - 64;
    size_t want = ((size_t)k.size + (size_t)k.remote) * sizeof(struct mv_run);
    struct runs runs = {mv_grow(&t->runs, want < room ? want : room), 0, 0};
    struct mv_comm c = {MV_HANDLE(comm), k.rank, k.size, k.remote, 0, 0, (uint32_t)inter};
    if (runs.run) {
        runs.max = (uint32_t)((want < room ? want : room) / sizeof(struct mv_run));
        if (!MV_PMPI(MPI_Comm_group)(from, &g))
            c.runs = add_group(&runs, g, k.size);
        if (inter && !MV_PMPI(MPI_Comm_remote_group)(from, &g))
            c.remote_runs = add_group(&runs, g, k.remote);
    }
    mv_object_comm(&c, runs.run, of, made);
    size_t size = runs.n * sizeof(struct mv_run);
    unsigned char *r = mv_info(t, MV_COMM, 0, sizeof c + size);
    memcpy(r + sizeof(struct mv_record), &c, sizeof c);
    if (size)
        memcpy(r + sizeof(struct mv_record) + sizeof c, runs.run, size);
    mv_info_end(t, r);
    publish_neighbours(t, from, &k);
}

MV_COLD void mv_new_comm(struct mv_thread *t, MPI_Comm comm, MPI_Comm parent, int from_parent, struct mv_object *of,
                         unsigned made)
{
    static _Atomic uint64_t null; /* handle + 1; threads that look it up at the same time store the same value */
    uint64_t n = atomic_load_explicit(&null, memory_order_relaxed);
    if (!n) {
        n = MV_HANDLE(MPI_COMM_NULL) + 1;
        atomic_store_explicit(&null, n, memory_order_relaxed);
    }
    if (MV_HANDLE(comm) + 1 == n)
        return;
    int e = errno;
    t->quiet = 1;
    publish(t, comm, from_parent ? parent : comm, of, made);
    atomic_store_explicit(&made_one, 1, memory_order_relaxed);
    t->quiet = 0;
    errno = e;
}
