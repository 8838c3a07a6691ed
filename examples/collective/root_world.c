/* The root is a rank in MPI_COMM_WORLD. The second half of the processes has no such rank in its communicator. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    MPI_Bcast(&value, 1, MPI_INT, rank / 2 * 2, half); /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "root=2, which is not a rank of the communicator: ranks go from 0 to 1. Rank 2 of MPI_COMM_WORLD has rank 0 there" ranks=2,3 may "LOCAL:MPI:CALL_FAILED" */
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
