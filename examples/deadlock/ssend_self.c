/* A rank that sends a synchronous message to itself never gets to the receive. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 1)
        MPI_Ssend(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Ssend" */
    MPI_Finalize();
    return 0;
}
