/* The sender and the receiver use different tags. Then the sender waits for the receiver. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" */
        MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "waits for tag 2 from rank 0, but rank 0 sent tag 1" ranks=0,1 */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
