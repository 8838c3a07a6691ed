/* The calls differ on one of two communicators that the same MPI_Comm_split made. They agree on the other one. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, all[2];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    if (rank == 3)
        MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, half); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Allgather" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    else
        MPI_Alltoall(all, 1, MPI_INT, (int[2]){0}, 1, MPI_INT, half); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Comm_free(&half); /* may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();       /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
