/* The program uses a request variable that it has never set. */
/* run: np=1 stdout=any */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int flag;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    memset(&request, 0, sizeof request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "MPI_Test gets a handle that no MPI call has returned" ranks=0 may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
