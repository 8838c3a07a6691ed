/* A program that calls MPI_Abort need not free its objects. */
/* run: np=2 status=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 0;
}
