/* All ranks add up one double: allreduce SECONDS. Prints the seconds of one call. */
#include "measure.h"

static void work(long n)
{
    double in = 1, out;
    for (long i = 0; i < n; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    double seconds;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    seconds = measure(work, argc > 1 ? atof(argv[1]) : 1);
    if (rank == 0)
        printf("%.4g\n", seconds);
    MPI_Finalize();
    return 0;
}
