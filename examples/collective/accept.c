/* Each rank names itself as the root that accepts a connection. The port does not exist, so the call returns with most
 * MPIs. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_accept("no port", MPI_INFO_NULL, rank, MPI_COMM_WORLD, &inter);  /* want "GLOBAL:COLLECTIVE:SPAWN_MISMATCH" "root" count=1 ranks=0,1 may "GLOBAL:DEADLOCK:HARD" may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize();
    return 0;
}
