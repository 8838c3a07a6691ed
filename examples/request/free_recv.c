/* The program frees a pending receive, so it can never know when the message is in the buffer. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = 0, out;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request); /* want warning "LOCAL:REQUEST:PREMATURE_FREE" "MPI_Irecv" ranks=0,1 */
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Request_free(&request); /* want warning "LOCAL:REQUEST:PREMATURE_FREE" "MPI_Recv_init" ranks=0,1 */
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
