/* Rank 3 leaves out a barrier within half of the ranks, and ends. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank != 3)
        MPI_Barrier(half); /* want "GLOBAL:COLLECTIVE:MISSING" "rank 3 never does: it has called MPI_Finalize" ranks=1,3 want "GLOBAL:DEADLOCK:HARD" */
    if (rank % 2 == 0)
        MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
