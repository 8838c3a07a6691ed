/* A ring where one rank receives first, a ring where the odd ranks do, and a chain whose last rank only receives. */
/* run: np=5 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < 100; i++) {
        if (rank == 0) {
            MPI_Recv(&value, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
        } else {
            MPI_Send(&value, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank % 2 == 0) {
            MPI_Send(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
        }
        MPI_Send(&value, 1, MPI_INT, rank + 1 < size ? right : MPI_PROC_NULL, 2, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, rank > 0 ? left : MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
