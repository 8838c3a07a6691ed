/* Ranks in a ring exchange halos with both neighbours by nonblocking calls: halo SIZE SECONDS. Prints the time of one
 * exchange in seconds. */
#include "measure.h"

static int left, right, size;
static char *data;

static void work(long n)
{
    MPI_Request r[4];
    for (long i = 0; i < n; i++) {
        MPI_Irecv(data, size, MPI_CHAR, left, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(data + size, size, MPI_CHAR, right, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Isend(data + 2 * size, size, MPI_CHAR, left, 1, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(data + 3 * size, size, MPI_CHAR, right, 0, MPI_COMM_WORLD, &r[3]);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double seconds;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    size = argc > 1 ? atoi(argv[1]) : 1024;
    data = calloc(4, size);
    seconds = measure(work, argc > 2 ? atof(argv[2]) : 1);
    if (rank == 0)
        printf("%.4g\n", seconds);
    free(data);
    MPI_Finalize();
    return 0;
}
