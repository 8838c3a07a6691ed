/* MPI_IN_PLACE is not allowed on an inter-communicator. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, to[2] = {0};
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* Open MPI calls the handler of MPI_COMM_WORLD */
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, to, 1, MPI_INT, inter);       /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Allreduce(MPI_IN_PLACE, to, 1, MPI_INT, MPI_SUM, inter);          /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
