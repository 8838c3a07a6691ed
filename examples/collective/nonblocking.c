/* A blocking barrier does not match a nonblocking one, even if an MPI library completes both of them. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Ibarrier" may "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &request); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" */
        MPI_Wait(&request, MPI_STATUS_IGNORE);  /* may "GLOBAL:DEADLOCK:HARD" */
    }
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
