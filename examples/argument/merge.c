/* MPI_Intercomm_merge needs an inter-communicator. Some libraries do not check this, and crash. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made); /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "is not an inter-communicator" may "LOCAL:EXIT:SIGNAL" may "LOCAL:EXIT:BEFORE_MPI_FINALIZE" */
    MPI_Finalize();
    return 0;
}
