/* Rank 0 receives from rank 2 at once in its exchange, but its own message is not received. Rank 1, the receiver, waits
 * in MPI_Gather for rank 0. Rank 2 has left MPI_Gather and waits for rank 1. */
/* run: np=3 */
#include <mpi.h>

enum { N = 1 << 20 };
static int out[N], in[N];

int main(int argc, char **argv)
{
    int rank, all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:MISSING" want "GLOBAL:DEADLOCK:HARD" ranks=0,1,2 */
    if (rank == 0)
        MPI_Sendrecv(out, N, MPI_INT, 1, 0, in, N, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "COLLECTIVE:MISSING" */
    else if (rank == 1)
        MPI_Sendrecv(out, N, MPI_INT, 2, 0, in, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(out, N, MPI_INT, 0, 0, in, N, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    if (rank == 0)
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
