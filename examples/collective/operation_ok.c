/* Ranks may call different collectives at the same time on different communicators. They may also call the
 * same collective from different lines. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value, sum = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    value = rank;
    if (rank < 2) {
        MPI_Bcast(&value, 1, MPI_INT, 0, half);
        MPI_Barrier(half);
    } else {
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    }
    if (rank % 2)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: value %d, sum %d\n", rank, value, sum);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
