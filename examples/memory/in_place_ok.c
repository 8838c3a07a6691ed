/* Collectives with one buffer: MPI_IN_PLACE, arguments that are significant only at the root, and no data. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[12] = {0}, more[12] = {0}, one[3] = {1, 1, 1}, at[3] = {0, 1, 2};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        int root = i % 3;
        MPI_Allreduce(MPI_IN_PLACE, data, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(data, more, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(data, data, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce(rank == root ? MPI_IN_PLACE : data, data, 4, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        MPI_Gather(rank == root ? MPI_IN_PLACE : data, 1, MPI_INT, data, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Gatherv(rank == root ? MPI_IN_PLACE : data, 1, MPI_INT, data, one, at, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatter(data, 1, MPI_INT, rank == root ? MPI_IN_PLACE : (void *)data, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatterv(data, one, at, MPI_INT, rank == root ? MPI_IN_PLACE : (void *)data, 1, MPI_INT, root,
                     MPI_COMM_WORLD);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 2, MPI_INT, MPI_COMM_WORLD);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, one, at, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 2, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(MPI_IN_PLACE, one, at, MPI_DATATYPE_NULL, data, one, at, MPI_INT, MPI_COMM_WORLD);
        MPI_Scan(MPI_IN_PLACE, data, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Exscan(MPI_IN_PLACE, data, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce_scatter_block(MPI_IN_PLACE, data, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce_scatter(MPI_IN_PLACE, data, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        /* Arguments that are significant only at the root may have any value on other ranks. */
        MPI_Reduce(data, rank == root ? more : data, 4, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        MPI_Gather(data, 1, MPI_INT, rank == root ? more : data, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatter(rank == root ? more : data, 1, MPI_INT, data, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Bcast(data, 12, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Ibcast(data, 12, MPI_INT, root, MPI_COMM_WORLD, &r);
        MPI_Allreduce(more, more + 6, 6, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        /* The process's own part is already in its place, so MPI does not write it. */
        MPI_Isend(data + 2 * rank, 2, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, &r);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 2, MPI_INT, MPI_COMM_WORLD);
        MPI_Recv(more, 2, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Ireduce(rank == root ? MPI_IN_PLACE : data, data, 6, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &r);
        MPI_Bcast(data + 6, 6, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
