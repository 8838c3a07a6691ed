/* Collectives between two groups of different sizes. The two directions are independent of each other. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, first, others, from[8], to[8] = {0};
    float back[8] = {0};
    MPI_Comm half, inter;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2; /* two groups: ranks 0 and 1, and rank 2 */
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, 1, &inter);
    MPI_Comm_remote_size(inter, &others);
    for (int i = 0; i < 8; i++)
        from[i] = 10 * rank + i, back[i] = i;

    /* From rank 1 to the other group. Rank 0 takes no part, so its arguments do not matter. */
    int root = rank == 0 ? MPI_PROC_NULL : rank == 1 ? MPI_ROOT : 1;
    if (rank == 0)
        MPI_Bcast(from, 17, MPI_DOUBLE, root, inter);
    else
        MPI_Bcast(rank == 1 ? from : to, 2, MPI_INT, root, inter);
    if (rank == 0)
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, NULL, -1, MPI_DATATYPE_NULL, root, inter);
    else if (rank == 1)
        MPI_Scatter(from, 3, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, inter);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, to, 3, MPI_INT, root, inter);
    printf("rank %d: %d\n", rank, to[2]);

    /* From the first group to rank 2. */
    root = first ? 0 : MPI_ROOT;
    if (first)
        MPI_Gather(from, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, inter);
    else
        MPI_Gather(NULL, 0, MPI_DATATYPE_NULL, to, 2, MPI_INT, root, inter);
    if (first)
        MPI_Gatherv(from, rank, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, inter);
    else
        MPI_Gatherv(NULL, 0, MPI_DATATYPE_NULL, to, (int[2]){0, 1}, (int[2]){9999, 3}, MPI_INT, root, inter);
    MPI_Reduce(from, to, 2, MPI_INT, MPI_SUM, root, inter);
    printf("rank %d: %d %d\n", rank, to[0], to[3]);

    /* Integers in one direction, floats in the other, and different numbers of them. */
    if (first)
        MPI_Allgather(from, 1, MPI_INT, back, 3, MPI_FLOAT, inter);
    else
        MPI_Allgather(back, 3, MPI_FLOAT, to, 1, MPI_INT, inter);
    if (first)
        MPI_Alltoall(from, 2, MPI_INT, back, 1, MPI_FLOAT, inter);
    else
        MPI_Alltoall(back, 1, MPI_FLOAT, to, 2, MPI_INT, inter);
    if (first)
        MPI_Allgatherv(from, rank, MPI_INT, back, (int[1]){2}, (int[1]){0}, MPI_FLOAT, inter);
    else
        MPI_Allgatherv(back, 2, MPI_FLOAT, to, (int[2]){0, 1}, (int[2]){4, 5}, MPI_INT, inter);
    if (first)
        MPI_Alltoallv(from, (int[1]){rank}, (int[1]){0}, MPI_INT, back, (int[1]){2 - rank}, (int[1]){0}, MPI_FLOAT,
                      inter);
    else
        MPI_Alltoallv(back, (int[2]){2, 1}, (int[2]){0, 2}, MPI_FLOAT, to, (int[2]){0, 1}, (int[2]){0, 0}, MPI_INT,
                      inter);
    printf("rank %d: %d\n", rank, to[0]);

    /* Reductions: each group receives the result of the other group's numbers. */
    MPI_Allreduce(from, to, 2, MPI_INT, MPI_MAX, inter);
    MPI_Reduce_scatter(from, to, first ? (int[2]){3, 1} : (int[1]){4}, MPI_INT, MPI_SUM, inter);
    MPI_Reduce_scatter_block(from, to, others, MPI_INT, MPI_SUM, inter);
    printf("rank %d: %d\n", rank, to[0]);
    root = first ? MPI_PROC_NULL : 1;
    if (rank == 1)
        root = MPI_ROOT;
    MPI_Ibcast(rank == 0 ? NULL : to, rank == 0 ? 0 : 1, rank == 0 ? MPI_CHAR : MPI_INT, root, inter, &r);
    MPI_Barrier(inter);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
