/* In a grid of 2 x 2 ranks, those on the diagonal reduce along their row first, the others along their column first. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, sum;
    MPI_Comm row, column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
    for (int step = 0; step < 3; step++) {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, row);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, column);
    }
    if (rank / 2 == rank % 2) {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, row); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" ranks=0,1,2,3 want "GLOBAL:DEADLOCK:HARD" */
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, column);
    } else {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, column); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "waits in MPI_Allreduce" want "GLOBAL:DEADLOCK:HARD" */
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, row);
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
