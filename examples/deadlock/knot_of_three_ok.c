/* Three ranks wait in a circle, and the other ranks wait for them. One of the three begins after a while. */
/* run: np=6 */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 1) {
        sleep(1);
        MPI_Send(&value, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
    }
    if (rank >= 1 && rank <= 3)
        MPI_Recv(&value, 1, MPI_INT, 1 + rank % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2 || rank == 3)
        MPI_Send(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
