/* A copy of a handle still looks like a request after the request is complete and gone. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = 0, out;
    MPI_Request request, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    copy = request;
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Wait(&copy, MPI_STATUS_IGNORE); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "complete or freed" ranks=0 may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
