/* Nonblocking collectives on different communicators may start in any order if the ranks
 * wait for all of them together. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, in = 1, sums[2] = {0, 0};
    MPI_Comm comms[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    for (int i = 0; i < 2; i++) {
        int k = rank == 0 ? i : 1 - i;
        MPI_Iallreduce(&in, &sums[k], 1, MPI_INT, MPI_SUM, comms[k], &requests[k]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d\n", rank, sums[0], sums[1]);
    /* Rank 0 has started the nonblocking barrier before it blocks in the other one, so no rank waits forever. */
    MPI_Request request;
    if (rank == 0) {
        MPI_Ibarrier(comms[0], &request);
        MPI_Barrier(comms[1]);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Ibarrier(comms[0], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(comms[1]);
    }
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
