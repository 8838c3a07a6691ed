/* The same root has different ranks in different communicators, and each call may have its own root. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Comm half, reversed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    value = rank;
    MPI_Bcast(&value, 1, MPI_INT, 1, half); /* world rank 2 for the even ranks, 3 for the odd ranks */
    printf("rank %d: %d\n", rank, value);
    for (int root = 0; root < size; root++) {
        value = rank;
        MPI_Bcast(&value, 1, MPI_INT, root, reversed);
        sum += value;
    }
    printf("rank %d: %d\n", rank, sum);
    /* Half of the ranks broadcast from their first process, the other half from their last. */
    MPI_Bcast(&value, 1, MPI_INT, rank % 2, half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return 0;
}
