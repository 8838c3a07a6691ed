/* A rank sends a message to itself before it posts the receive. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Send may wait for rank 1 itself to receive \(4 bytes\): rank 1 would be deadlocked, but MPI buffered the" ranks=1 */
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
