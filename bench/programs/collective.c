/* All ranks call a collective on one double: collective allreduce|bcast SECONDS. Prints the time of one call in
 * seconds. */
#include "measure.h"

#include <string.h>

static void allreduce(long n)
{
    double in = 1, out;
    for (long i = 0; i < n; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast(long n)
{
    double value = 1;
    for (long i = 0; i < n; i++)
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    double seconds;
    if (argc < 3)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    seconds = measure(strcmp(argv[1], "bcast") ? allreduce : bcast, atof(argv[2]));
    if (rank == 0)
        printf("%.4g\n", seconds);
    MPI_Finalize();
    return 0;
}
