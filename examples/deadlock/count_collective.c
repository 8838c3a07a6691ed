/* Rank 1 receives once more than rank 0 sends. Rank 0 goes on to a collective. The finding about the collective shows
 * both calls, so the one about the deadlock does not repeat them. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 + rank; i++)
        if (rank == 0)
            MPI_Send(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        else
            MPI_Recv(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want fatal "GLOBAL:DEADLOCK:HARD" "rank 0 has sent only 2 messages for 3 receives: ranks 0,1 are deadlocked\. GLOBAL:COLLECTIVE:MISSING \(count_collective.c:16\) shows their calls" want "GLOBAL:COLLECTIVE:MISSING" */
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* want error "GLOBAL:COLLECTIVE:MISSING" ranks=0,1 want "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
