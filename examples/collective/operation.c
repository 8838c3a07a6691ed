/* One rank calls MPI_Reduce while the others call MPI_Bcast. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Reduce" */
    else
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Bcast" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
