/* A receive from MPI_ANY_SOURCE takes the message that the next receive waits for. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
        MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "an earlier receive took this message .taken.c:13" ranks=0,1,2 */
    } else if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" */
    if (rank == 2)
        MPI_Send(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
