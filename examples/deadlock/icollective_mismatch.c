/* The ranks start many nonblocking collectives that do not match, and then wait for the first one. */
/* run: np=3 mpi=openmpi,mpich<5 */
#include <mpi.h>

enum { N = 12 };

int main(int argc, char **argv)
{
    int rank, value[N] = {0};
    MPI_Request requests[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++) {
        if (rank == 0)
            MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" */
        else
            MPI_Ibcast(&value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[i]); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" */
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "OPERATION_MISMATCH" */
    MPI_Waitall(N, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
