/* Communicator constructors are collectives too. Rank 0 calls MPI_Comm_dup, rank 1 calls MPI_Comm_create. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm copy;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Comm_create" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    else
        MPI_Comm_create(MPI_COMM_WORLD, all, &copy); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Comm_free(&copy);
    MPI_Group_free(&all);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
