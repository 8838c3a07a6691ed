/*
 * Communicators: what is known of each, for the lengths of arrays, and the publication of new ones.
 *
 * The table is read by the record path without a lock. Only handles that MPI itself returned get in, and only calls on
 * those, or on predefined ones, are made here.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <string.h>

#include "mpi_objects.h"

#define SLOTS 8192
#define CHUNK 1024

static struct {
    _Atomic uint64_t comm; /* 0: never used; 1: free again */
    struct mv_known known;
} slots[SLOTS];

static const struct mv_known unknown = {.rank = -1};
static MPI_Group world;
static int world_known;

static unsigned slot_of(uint64_t comm) { return (unsigned)((comm * 0x9e3779b97f4a7c15ULL) >> 51); }
_Static_assert(SLOTS == 1 << 13, "slot_of gives 13 bits");

/* What is known of a communicator; a handle that is not known has no members. */
const struct mv_known *mv_known(uint64_t comm)
{
    unsigned at = slot_of(comm);
    for (unsigned i = 0; i < 64; i++, at = (at + 1) % SLOTS) {
        uint64_t c = atomic_load_explicit(&slots[at].comm, memory_order_acquire);
        if (c == comm)
            return &slots[at].known;
        if (!c)
            break;
    }
    return &unknown;
}

void mv_forget_comm(uint64_t comm)
{
    unsigned at = slot_of(comm);
    for (unsigned i = 0; i < 64; i++, at = (at + 1) % SLOTS) {
        uint64_t c = comm;
        if (atomic_compare_exchange_strong(&slots[at].comm, &c, 1) || !c)
            return;
    }
}

static void remember(uint64_t comm, const struct mv_known *k)
{
    mv_forget_comm(comm);
    unsigned at = slot_of(comm);
    for (unsigned i = 0; i < 64; i++, at = (at + 1) % SLOTS) {
        /* 2 is no handle either: the slot is being filled. */
        uint64_t c = atomic_load(&slots[at].comm);
        if (c > 1 || !atomic_compare_exchange_strong(&slots[at].comm, &c, 2))
            continue;
        slots[at].known = *k;
        atomic_store_explicit(&slots[at].comm, comm, memory_order_release);
        return;
    }
}

/* Says which processes world ranks are of. */
void mv_world(MPI_Group group)
{
    world = group;
    world_known = 1;
}

int mv_world_known(void) { return world_known; }

/* Before MPI_Finalize. */
void mv_world_end(void)
{
    if (!world_known)
        return;
    world_known = 0;
    MPI_Group g = world;
    MV_PMPI(MPI_Group_free)(&g);
}

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
        to->max = 0; /* from here on the rest is missing, and the sum of the counts says so */
    }
}

/* Appends the world ranks of a group as runs, and frees the group. The number of runs. */
static uint32_t add_group(struct runs *to, MPI_Group g, int size)
{
    int in[CHUNK], out[CHUNK];
    uint32_t before = to->n;
    /* A run never goes on across groups. */
    struct runs mine = {to->run + to->n, 0, to->max - to->n};
    for (int first = 0; first < size && mine.max; first += CHUNK) {
        int n = size - first < CHUNK ? size - first : CHUNK;
        for (int i = 0; i < n; i++) {
            in[i] = first + i;
            out[i] = MPI_UNDEFINED;
        }
        if (world_known)
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
    int *list = mv_grow(&t->runs, 2 * (size + sizeof *list)); /* ranks, and behind them weights */
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

/* Publishes a communicator that the call under way has made. from: the communicator to ask for its group: itself, or
 * its parent where it may not be used yet (MPI_Comm_idup). of, made: for mv_object_comm. */
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

/* After a successful constructor. */
MV_COLD void mv_new_comm(struct mv_thread *t, MPI_Comm comm, MPI_Comm parent, int from_parent, struct mv_object *of, unsigned made)
{
    static MPI_Comm null;
    static int null_known;
    if (!null_known) {
        null = MPI_COMM_NULL;
        null_known = 1;
    }
    if (comm == null)
        return;
    int e = errno;
    t->quiet = 1;
    publish(t, comm, from_parent ? parent : comm, of, made);
    mv_strict_begin();
    t->quiet = 0;
    errno = e;
}
