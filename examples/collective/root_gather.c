/* Two ranks gather at rank 0, the third one at rank 1. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "root" */
    else
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
