/* Rank 2 makes one iteration less than the other ranks, so its next collective does not match theirs. */
/* run: np=3 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, steps, value = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    steps = rank == 2 ? 9 : 10;
    for (int i = 0; i < steps; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" count=1 may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Gather(&value, 1, MPI_INT, rank == 0 ? (int[3]){0} : NULL, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Gather" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
