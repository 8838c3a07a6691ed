/* In MPI_Scatter, only the root may pass MPI_IN_PLACE. MPICH writes to that address and crashes. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Scatter(from, 1, MPI_INT, to, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Scatter(from, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may "LOCAL:EXIT:SIGNAL" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
