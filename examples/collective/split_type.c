/* All processes of a new communicator must pass the same split type. Rank 1 passes a value that
 * could only be a colour of MPI_Comm_split. */
/* run: np=3 timeout=10s hangs=mpich>=4.1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 1 ? MPI_COMM_TYPE_SHARED + 1 : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" "ranks 0,2 pass split_type=.*, but rank 1 passes split_type=" ranks=0,1,2 may "GLOBAL:DEADLOCK:HARD" may info "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" */
    if (node != MPI_COMM_NULL)
        MPI_Comm_free(&node);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
