/* The same communicator, datatype and operation have different handles on each rank, because each rank has made a
 * different number of other objects before. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0, value;
    MPI_Comm own[4], world, half, twin;
    MPI_Datatype types[4], pair;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 * rank; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
        MPI_Type_contiguous(i + 3, MPI_INT, &types[i]);
    }
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    if (rank > 0)
        MPI_Comm_free(&own[0]);
    MPI_Comm_split(world, rank == 1 ? MPI_UNDEFINED : 7, -rank, &half);
    MPI_Comm_idup(world, &twin, &r);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (half != MPI_COMM_NULL) {
        value = rank;
        MPI_Bcast(&value, 1, MPI_INT, 0, half);
        printf("rank %d: %d\n", rank, value);
        MPI_Comm_free(&half);
    }
    MPI_Comm_size(twin, &size);
    int from[2] = {rank, 1}, all[6];
    MPI_Allgather(from, 1, pair, all, 2, MPI_INT, twin);
    printf("rank %d: %d %d %d\n", rank, sum, size, all[4]);
    for (int i = 0; i < 2 * rank; i++) {
        if (i > 0)
            MPI_Comm_free(&own[i]);
        MPI_Type_free(&types[i]);
    }
    MPI_Type_free(&pair);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
