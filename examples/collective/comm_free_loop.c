/* Rank 1 frees only the last of several communicators. Rank 0 frees all of them. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* want "GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH" */
        if (rank == 0 || i == 4)
            MPI_Comm_free(&copy); /* want "GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH" count=4 ranks=0,1 */
    }
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
