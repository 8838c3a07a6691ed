/* Null pointers that are allowed: there are no data; the peer is MPI_PROC_NULL; the datatype has absolute addresses
 * (MPI_BOTTOM); the argument is not significant on this process. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, out[2] = {1, 2}, in[4] = {0}, counts[2] = {2, 0}, displs[2] = {0, 0}, one = 1;
    MPI_Aint at;
    MPI_Datatype there, nothing;
    MPI_Win win;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(NULL, 0, MPI_INT, 1 - rank, 0, NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Get_address(out, &at);
    MPI_Type_create_hindexed_block(1, 2, &at, MPI_INT, &there);
    MPI_Type_commit(&there);
    MPI_Irecv(in, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(MPI_BOTTOM, 1, there, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(MPI_BOTTOM, 1, there, 0, MPI_COMM_WORLD);
    MPI_Type_free(&there);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Bcast(NULL, 3, nothing, 0, MPI_COMM_WORLD);
    MPI_Type_free(&nothing);
    MPI_Gather(out, 1, MPI_INT, rank == 0 ? in : NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(rank == 0 ? out : NULL, rank == 0 ? 2 : 0, MPI_INT, rank == 0 ? in : NULL, rank == 0 ? counts : NULL,
                rank == 0 ? displs : NULL, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(rank == 0 ? out : NULL, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(out, rank == 1 ? in : NULL, 2, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, rank == 0 ? in : NULL, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_create(rank == 0 ? in : NULL, rank == 0 ? (MPI_Aint)sizeof in : 0, sizeof(int), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(NULL, 0, MPI_INT, 0, 0, 0, MPI_INT, win);
    MPI_Get(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, win);
    if (rank == 1)
        MPI_Fetch_and_op(NULL, &one, MPI_INT, 0, 0, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d\n", rank, in[0], in[1]);
    MPI_Finalize();
    return 0;
}
