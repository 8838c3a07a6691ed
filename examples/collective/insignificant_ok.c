/* Buffers, counts, datatypes and displacements that are not significant on a process may have any value. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, mine[2], all[6] = {0}, part[2] = {0}, counts[3] = {2, 1, 1}, displs[3] = {0, 2, 4}, sum = 0;
    void *wild = (void *)0x40;
    MPI_Datatype pair, nothing = MPI_DATATYPE_NULL;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine[0] = rank;
    mine[1] = 10 + rank;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair); /* not committed and another type, but never used */

    if (rank == 1) {
        MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Gatherv(mine, 1, MPI_INT, all, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatter(all, 2, MPI_INT, part, 2, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Scatterv(all, (int[3]){1, 1, 0}, displs, MPI_INT, part, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Reduce(mine, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
        MPI_Igather(mine, 2, MPI_INT, all, 2, MPI_INT, 1, MPI_COMM_WORLD, &r);
    } else {
        MPI_Gather(mine, 2, MPI_INT, wild, -1, rank ? nothing : pair, 1, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Gatherv(mine, 2, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
        else
            MPI_Gatherv(mine, 1, MPI_INT, wild, NULL, NULL, nothing, 0, MPI_COMM_WORLD);
        MPI_Scatter(wild, -5, nothing, part, 2, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Scatterv(NULL, NULL, NULL, nothing, part, rank == 0, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Reduce(mine, wild, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
        MPI_Igather(mine, 2, MPI_INT, NULL, -1, nothing, 1, MPI_COMM_WORLD, &r);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    printf("rank %d: %d %d %d %d %d\n", rank, all[0], all[2], all[5], part[0], sum);

    /* With MPI_IN_PLACE, the count and the datatype are not significant either. */
    all[2 * rank] = all[2 * rank + 1] = rank;
    MPI_Allgather(MPI_IN_PLACE, rank == 0 ? 1000 : 0, rank == 0 ? MPI_DOUBLE : MPI_CHAR, all, 2, MPI_INT,
                  MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, rank == 2 ? counts : NULL, NULL, MPI_CHAR, all, (int[3]){1, 1, 1}, displs, MPI_INT,
                  MPI_COMM_WORLD);
    printf("rank %d: %d %d %d\n", rank, all[0], all[2], all[4]);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
