/* The program uses a communicator variable that it has never set. */
/* run: np=1 */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int value = 1;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    memset(&comm, 0x5a, sizeof comm);
    MPI_Send(&value, 1, MPI_INT, 0, 0, comm); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "not a communicator: no MPI call" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
