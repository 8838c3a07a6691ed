/* In a reduction to a root, only the root may pass MPI_IN_PLACE. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" ranks=1 may "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
