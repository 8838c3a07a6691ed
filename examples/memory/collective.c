/* Nonblocking collectives share buffers. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0}, sum[8] = {0};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ibcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD, &r[0]);
    if (rank == 0) /* the root only reads its buffer */
        MPI_Ibcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD, &r[1]);
    else
        MPI_Ibcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD, &r[1]); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Ibcast writes to memory that MPI_Ibcast.* is still filling" ranks=1 */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Iallreduce(data, sum, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Iallgather(sum + 3, 1, MPI_INT, data + 4, 1, MPI_INT, MPI_COMM_WORLD, &r[1]); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Iallgather reads memory that MPI_Iallreduce.* is still filling" ranks=0,1 */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
