/* The program starts a request that it has freed. Its variable holds MPI_REQUEST_NULL. */
/* run: np=1 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int in = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Start(&request); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "MPI_REQUEST_NULL" ranks=0 */
    MPI_Finalize();
    return 0;
}
