/* Rank 1 sends to rank 2 the message that rank 0 waits for. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "waits for tag 5 from rank 1, but rank 1 sent it to rank 2" ranks=0,1,2 */
    else if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" */
    MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
