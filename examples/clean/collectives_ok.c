/* Every blocking collective that moves or reduces data, with zero or unequal counts, and equal data in other types. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define N 4

static void product(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] *= ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int rank, size, counts[N], displs[N], mine[N], all[N * N], bytes[N];
    MPI_Datatype types[N], two;
    MPI_Op op;
    long checksum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(product, 1, &op);
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    memset(all, 0, sizeof all);
    for (int i = 0; i < N; i++) {
        mine[i] = rank + i;
        counts[i] = i; /* rank 0 sends and receives no data */
        displs[i] = i * (i - 1) / 2;
        bytes[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Bcast(mine, 4, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(mine, 2, two, 0, MPI_COMM_WORLD);
    mine[0] += rank;
    MPI_Bcast(NULL, 0, rank % 2 ? MPI_INT : MPI_CHAR, 3, MPI_COMM_WORLD);
    MPI_Gather(mine, 1, MPI_INT, all, 1, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Gatherv(mine, rank, MPI_INT, all, counts, displs, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scatter(all, 2, MPI_INT, mine, 1, two, 1, MPI_COMM_WORLD);
    MPI_Scatterv(all, counts, displs, MPI_INT, mine, rank, MPI_INT, 3, MPI_COMM_WORLD);
    MPI_Allgather(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(mine, rank, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(all, 1, MPI_INT, mine, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        counts[i] = displs[i] = 0;
    MPI_Alltoallv(mine, counts, displs, MPI_INT, all, counts, displs, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        counts[i] = 1;
        displs[i] = i;
        bytes[i] = i * (int)sizeof(int);
    }
    MPI_Alltoallv(mine, counts, displs, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(mine, counts, bytes, types, all, counts, bytes, types, MPI_COMM_WORLD);
    MPI_Reduce(mine, all, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine, all, N, MPI_INT, op, 2, MPI_COMM_WORLD);
    MPI_Allreduce(mine, all, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce_scatter(mine, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(mine, all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Scan(mine, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(mine, all + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        checksum += mine[i];
    printf("rank %d: %ld\n", rank, checksum);
    MPI_Type_free(&two);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
