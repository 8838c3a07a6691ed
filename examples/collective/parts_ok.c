/* Collectives whose parts may all be different. Only the data that two processes exchange must agree. Where there are
 * no data, neither the datatype nor the displacement matters. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, from[9], to[9] = {0}, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 9; i++)
        from[i] = 10 * rank + i;

    /* Rank i sends i elements. Rank 0 sends none, with another datatype. */
    int lengths[3] = {0, 1, 2}, places[3] = {rank == 2 ? 77777 : 0, 5, 2};
    MPI_Gatherv(from, rank, rank == 0 ? MPI_DOUBLE : MPI_INT, to, lengths, places, MPI_INT, 2, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, to[5], to[3]);
    MPI_Scatterv(from, lengths, places, MPI_INT, to, rank, rank == 0 ? MPI_CHAR : MPI_INT, 1, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, to[0]);
    /* Each rank puts the received data at another displacement. */
    int mine[3] = {0, 3 + rank, 0};
    MPI_Allgatherv(from, rank, rank == 0 ? MPI_FLOAT : MPI_INT, to, lengths, mine, MPI_INT, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, to[mine[1]], to[1]);

    /* A triangle: a rank sends its rank plus one elements to each higher rank, and nothing to lower ranks. */
    int sends[3], receives[3], at[3] = {0, 3, 6}, backwards[3] = {6, 3, 0};
    for (int i = 0; i < size; i++) {
        sends[i] = rank < i ? rank + 1 : 0;
        receives[i] = i < rank ? i + 1 : 0;
    }
    MPI_Alltoallv(from, sends, at, rank == 2 ? MPI_CHAR : MPI_INT, to, receives, backwards,
                  rank == 0 ? MPI_DOUBLE : MPI_INT, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, to[6], to[3]);

    /* A different datatype for each pair: rank 1 receives a column as integers, and rank
     * 2 receives doubles from rank 0. */
    MPI_Datatype column;
    MPI_Type_vector(2, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    struct {
        double d[2];
        int i[4];
    } out = {{rank, rank + 0.5}, {rank, 1, 2, 3}}, in = {{0}, {0}};
    int outcounts[3] = {0, 0, 0}, incounts[3] = {0, 0, 0}, outat[3] = {0, 0, 0}, inat[3] = {0, 0, 0};
    MPI_Datatype outtypes[3] = {MPI_CHAR, MPI_CHAR, MPI_CHAR}, intypes[3] = {MPI_BYTE, MPI_BYTE, MPI_BYTE};
    if (rank == 0) {
        outcounts[2] = 2, outtypes[2] = MPI_DOUBLE;
        outcounts[1] = 1, outtypes[1] = column, outat[1] = (int)((char *)out.i - (char *)&out);
    } else if (rank == 1) {
        incounts[0] = 2, intypes[0] = MPI_INT, inat[0] = (int)((char *)in.i - (char *)&in);
    } else {
        incounts[0] = 2, intypes[0] = MPI_DOUBLE;
    }
    MPI_Alltoallw(&out, outcounts, outat, outtypes, &in, incounts, inat, intypes, MPI_COMM_WORLD);
    printf("rank %d: %g %d\n", rank, in.d[1], in.i[1]);
    MPI_Type_free(&column);

    int shares[3] = {0, 2, 0};
    MPI_Reduce_scatter(from, rank == 1 ? to : NULL, shares, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, rank == 1 ? to[1] : 0);
    MPI_Reduce_scatter_block(from, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
