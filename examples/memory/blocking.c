/* Blocking calls use the buffer of a pending receive. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[4] = {0}, out[4] = {0}, more[4];
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(in, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r);
    if (rank == 0) {
        MPI_Send(in + 3, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Send reads memory that MPI_Irecv.* is still filling" ranks=0 */
        MPI_Send(out, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in + 2, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" "writes to memory" ranks=1 */
        MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Bcast" ranks=0,1 */
    MPI_Allreduce(in + 1, more, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "sendbuf of MPI_Allreduce" ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
