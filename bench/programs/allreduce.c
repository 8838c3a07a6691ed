/* All ranks add up one double: allreduce ITERATIONS. Prints the seconds of one call, averaged over all of them: with
 * more ranks than cores single calls vary with the scheduler. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    long n;
    double in = 1, out, start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = argc > 1 ? atol(argv[1]) : 10000;
    for (long i = 0; i < n / 5 + 1; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (long i = 0; i < n; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.4g\n", (MPI_Wtime() - start) / n);
    MPI_Finalize();
    return 0;
}
