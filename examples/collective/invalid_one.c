/* Rank 1 passes a count that overflowed. MPI reports an error on this rank, and the other ranks wait for it. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, n, from[4] = {1, 2, 3, 4}, to[12];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = rank == 1 ? -294967296 : 4;
    MPI_Allgather(from, n, MPI_INT, to, 4, MPI_INT, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "sendcount=-294967296" ranks=1 may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
