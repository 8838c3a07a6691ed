/* Three ranks wait while the fourth rank computes. Then it sends them a message. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank < 3) {
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % 4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > 0)
            MPI_Send(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD);
    } else {
        double end = MPI_Wtime() + 2;
        while (MPI_Wtime() < end)
            ; /* represents a long computation */
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    printf("rank %d: %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
