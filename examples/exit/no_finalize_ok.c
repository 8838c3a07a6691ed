/* A function registered with atexit() calls MPI_Finalize, which is late but allowed. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

static void finish(void)
{
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    atexit(finish);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    exit(0);
}
