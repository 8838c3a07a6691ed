/* MPI_Bcast has one buffer for sending and receiving. MPI_IN_PLACE has no meaning there. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) /* the rank that may crash calls it last */
        MPI_Recv(&rank, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&rank, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
