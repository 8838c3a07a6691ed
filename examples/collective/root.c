/* Every rank passes its own rank as the root of the broadcast. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank;
    MPI_Bcast(&value, 1, MPI_INT, rank, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "root" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
