/* Example 1 of Falzone et al., "Collective Error Detection for MPI Collective Operations": all but the last process
 * call MPI_Bcast, the last one calls MPI_Barrier. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "rank 3 calls MPI_Barrier" ranks=0,1,2,3 may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    else
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "anks 0-2 call MPI_Bcast" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
