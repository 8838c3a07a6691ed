/* When a request is complete, its variable holds MPI_REQUEST_NULL. Then it cannot be freed or cancelled. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = 0, out;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);       /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "MPI_REQUEST_NULL" ranks=0,1 */
    MPI_Request_free(&request); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "MPI_REQUEST_NULL" ranks=0,1 */
    MPI_Finalize();
    return 0;
}
