/* A broadcast has one buffer, which is both: there is nothing that MPI_IN_PLACE could stand for. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD); /* so that both get there before one crashes */
    MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
