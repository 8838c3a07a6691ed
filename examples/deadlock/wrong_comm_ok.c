/* Messages with the same source and tag on two communicators. They are received in the opposite order. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, other = 0;
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        value = 1;
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        value = 2;
        MPI_Send(&value, 1, MPI_INT, 1, 1, copy);
    } else {
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 1, copy, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d\n", value, other);
    }
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
