/* Only the root of MPI_Gather may pass MPI_IN_PLACE. Open MPI reports an error; MPICH sends from there and crashes. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Gather(from, 1, MPI_INT, to, 1, MPI_INT, 0, MPI_COMM_WORLD); /* may "GLOBAL:DEADLOCK:HARD" */
    else
        MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, to, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may "LOCAL:EXIT:SIGNAL" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
