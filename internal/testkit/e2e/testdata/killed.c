/* Rank 1 is killed by SIGKILL after a thousand messages, while rank 0 waits for one more. */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 1000; i++)
        if (rank == 1)
            MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* rank 0 dies soon after this: all messages must
                                                                    have been received */
        else
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        kill(getpid(), SIGKILL);
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
