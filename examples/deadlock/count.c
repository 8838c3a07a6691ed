/* Rank 0 receives one message more than rank 1 sends. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    for (int i = 0; i < 3; i++)
        if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    for (int i = 0; i <= 3; i++)
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "rank 1 has sent only 3 messages for 4 receives" ranks=0 */
    MPI_Finalize();
    return 0;
}
