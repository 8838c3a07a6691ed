/* Three ranks block each other. The other ranks wait for them, in a barrier and for a message. */
/* run: np=6 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank >= 1 && rank <= 3)
        MPI_Recv(&value, 1, MPI_INT, 1 + rank % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "The cycle is 1 -> 2 -> 3 -> 1" ranks=0,1,2,3,4,5 */
    else if (rank == 5)
        MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "waiting for these MPI_Recv" */
    MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" "waiting for these MPI_Barrier" */
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 5, 1, MPI_COMM_WORLD);
    if (rank >= 1 && rank <= 3)
        MPI_Send(&value, 1, MPI_INT, 1 + (rank + 1) % 3, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
