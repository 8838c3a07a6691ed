/* In a grid of 3 x 2 ranks, all work along the row, then along the column; in every third step along the column only;
 * in every fifth step also all together. One row is ahead of the other where nothing prevents it. */
/* run: np=6 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value, sum = 0;
    MPI_Comm row, column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3, rank, &column);
    for (int step = 0; step < 60; step++) {
        value = rank + step;
        if (step % 3 != 2)
            MPI_Bcast(&value, 1, MPI_INT, step % 3, row);
        if (rank < 3 && step == 20)
            usleep(300000);
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, step % 2, column);
        if (step % 5 == 4)
            MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Comm_free(rank % 2 ? &row : &column); /* in practice, MPI_Comm_free is local */
    MPI_Comm_free(rank % 2 ? &column : &row);
    MPI_Finalize();
    return 0;
}
