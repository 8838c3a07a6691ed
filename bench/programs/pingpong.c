/* Two ranks send a message to and fro: pingpong SIZE ITERATIONS. Prints the seconds of half a round trip, the median
 * over ten equal parts of the iterations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 10 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void exchange(char *data, int size, int rank, long n)
{
    for (long i = 0; i < n; i++) {
        if (rank == 0) {
            MPI_Send(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    long n;
    char *data;
    double took[PARTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size = argc > 1 ? atoi(argv[1]) : 8;
    n = (argc > 2 ? atol(argv[2]) : 100000) / PARTS;
    data = calloc(1, size);
    exchange(data, size, rank, n / 5 + 1); /* warms up */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int p = 0; p < PARTS; p++) {
        double start = MPI_Wtime();
        exchange(data, size, rank, n);
        took[p] = (MPI_Wtime() - start) / (2.0 * n);
    }
    qsort(took, PARTS, sizeof took[0], compare);
    if (rank == 0)
        printf("%.4g\n", (took[PARTS / 2 - 1] + took[PARTS / 2]) / 2);
    free(data);
    MPI_Finalize();
    return 0;
}
