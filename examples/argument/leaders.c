/* One process passes an invalid rank in an argument of MPI_Intercomm_create that is significant only at the leaders. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 2 + rank, 0, &inter); /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "not a rank of peer_comm" */
    MPI_Finalize();
    return 0;
}
