/* The tests of Falzone et al., Collective Error Detection for MPI Collective Operations, tables 3 to 5: collectives
 * with different numbers of doubles and calls. Prints the time of each test on the slowest rank in seconds, after one
 * call to warm up. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 128 << 10 };
static double *from, *to;
static int *counts, *displs;

static void call(int which, int count)
{
    switch (which) {
    case 0:
        MPI_Bcast(from, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
    default:
        MPI_Alltoallv(from, counts, displs, MPI_DOUBLE, to, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        int count, turns;
    } test[] = {{1, 10}, {1 << 10, 1}, {MOST, 1}};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    from = calloc((size_t)size * MOST, sizeof *from);
    to = calloc((size_t)size * MOST, sizeof *to);
    counts = calloc(size, sizeof *counts);
    displs = calloc(size, sizeof *displs);
    for (int which = 0; which < 3; which++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < size; k++) {
                counts[k] = test[i].count;
                displs[k] = k * test[i].count;
            }
            call(which, test[i].count);
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime(), slowest = 0;
            for (int k = 0; k < test[i].turns; k++)
                call(which, test[i].count);
            double took = MPI_Wtime() - start;
            MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
            if (rank == 0)
                printf("%.9f\n", slowest);
        }
    }
    free(from);
    free(to);
    free(counts);
    free(displs);
    MPI_Finalize();
    return 0;
}
