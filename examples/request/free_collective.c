/* A nonblocking collective can be neither freed nor cancelled. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Request_free(&request); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "MPI_Ibarrier" ranks=0,1 */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
