/* Rank 0 waits for two messages from MPI_ANY_SOURCE, but only one of the other ranks sends one. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[2];
    MPI_Request reqs[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &reqs[i]);
        MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "COLLECTIVE:MISSING" ranks=0,1,2 */
    }
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:MISSING" want "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
