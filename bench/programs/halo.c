/* Ranks in a ring exchange halos with both neighbours by nonblocking calls: halo SIZE ITERATIONS. Prints the seconds of
 * one exchange, the median over ten equal parts of the iterations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 10 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void exchange(char *data, int size, int left, int right, long n)
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
    int rank, ranks, size;
    long n;
    char *data;
    double took[PARTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size = argc > 1 ? atoi(argv[1]) : 1024;
    n = (argc > 2 ? atol(argv[2]) : 100000) / PARTS;
    data = calloc(4, size);
    exchange(data, size, (rank + ranks - 1) % ranks, (rank + 1) % ranks, n / 5 + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int p = 0; p < PARTS; p++) {
        double start = MPI_Wtime();
        exchange(data, size, (rank + ranks - 1) % ranks, (rank + 1) % ranks, n);
        took[p] = (MPI_Wtime() - start) / n;
    }
    qsort(took, PARTS, sizeof took[0], compare);
    if (rank == 0)
        printf("%.4g\n", (took[PARTS / 2 - 1] + took[PARTS / 2]) / 2);
    free(data);
    MPI_Finalize();
    return 0;
}
