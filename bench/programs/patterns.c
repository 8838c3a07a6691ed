/* The most frequent communication patterns, between all ranks: patterns KIND BYTES SECONDS. Prints the time of one
 * repetition in seconds.
 *
 * Kinds: sendrecv, persistent and testloop exchange messages with both neighbours in a ring. bcast, allgatherv,
 * gatherv, scatterv, reduce_scatter and barrier are collectives, with BYTES for each rank. */
#include "measure.h"

#include <string.h>

enum { MAX_RANKS = 64 };
static int rank, size, bytes, left, right, counts[MAX_RANKS], displs[MAX_RANKS];
static char *out, *in;
static MPI_Request persistent[4];

static void sendrecv(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Sendrecv(out, bytes, MPI_CHAR, right, 0, in, bytes, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, bytes, MPI_CHAR, left, 1, in, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void persist(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Startall(4, persistent);
        MPI_Waitall(4, persistent, MPI_STATUSES_IGNORE);
    }
}

static void testloop(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Request reqs[4];
        int done = 0;
        MPI_Irecv(in, bytes, MPI_CHAR, left, 0, MPI_COMM_WORLD, &reqs[0]);
        MPI_Irecv(in + bytes, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &reqs[1]);
        MPI_Isend(out, bytes, MPI_CHAR, right, 0, MPI_COMM_WORLD, &reqs[2]);
        MPI_Isend(out, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &reqs[3]);
        while (!done)
            MPI_Testall(4, reqs, &done, MPI_STATUSES_IGNORE);
    }
}

static void bcast(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Bcast(out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void allgatherv(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Allgatherv(out, bytes, MPI_CHAR, in, counts, displs, MPI_CHAR, MPI_COMM_WORLD);
}

static void gatherv(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Gatherv(out, bytes, MPI_CHAR, in, counts, displs, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void scatterv(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Scatterv(in, counts, displs, MPI_CHAR, out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void reduce_scatter(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Reduce_scatter(in, out, counts, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void barrier(long n)
{
    for (long i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(long);
    } kinds[] = {{"sendrecv", sendrecv}, {"persistent", persist}, {"testloop", testloop}, {"bcast", bcast},
                 {"allgatherv", allgatherv}, {"gatherv", gatherv}, {"scatterv", scatterv},
                 {"reduce_scatter", reduce_scatter}, {"barrier", barrier}};
    if (argc < 4)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bytes = atoi(argv[2]);
    if (size > MAX_RANKS || bytes < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    out = calloc((size_t)bytes, 1);
    in = calloc((size_t)bytes * (size_t)(size + 1), 1);
    for (int r = 0; r < size; r++) {
        counts[r] = bytes;
        displs[r] = r * bytes;
    }
    MPI_Recv_init(in, bytes, MPI_CHAR, left, 0, MPI_COMM_WORLD, &persistent[0]);
    MPI_Recv_init(in + bytes, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &persistent[1]);
    MPI_Send_init(out, bytes, MPI_CHAR, right, 0, MPI_COMM_WORLD, &persistent[2]);
    MPI_Send_init(out, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &persistent[3]);
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(argv[1], kinds[k].name)) {
            double seconds = measure(kinds[k].work, atof(argv[3]));
            if (rank == 0)
                printf("%.4g\n", seconds);
        }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&persistent[i]);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
