/* A program may call exit() after MPI_Finalize, even with a nonzero status. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    exit(7);
}
