/* Several nonblocking collectives are pending on one communicator, some of them with the same function. Each rank
 * completes them in another order. Each rank uses a new communicator as soon as it exists. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, flag, done = 0, sum[2] = {0}, from[3], to[3], last[1] = {5};
    MPI_Comm twin, triplet;
    MPI_Request r[6], dup[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        from[i] = 10 * rank + i;
    MPI_Comm_idup(MPI_COMM_WORLD, &twin, &dup[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(&rank, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[2]);
    MPI_Comm_idup(MPI_COMM_WORLD, &triplet, &dup[1]);
    MPI_Iallreduce(&rank, &sum[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[3]);
    MPI_Ialltoall(from, 1, MPI_INT, to, 1, MPI_INT, MPI_COMM_WORLD, &r[4]);
    if (rank == 1)
        MPI_Wait(&dup[1], MPI_STATUS_IGNORE);
    MPI_Wait(&dup[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(last, 1, MPI_INT, 0, twin, &r[5]);
    while (!done) {
        MPI_Testall(6, r, &done, MPI_STATUSES_IGNORE);
        if (!done && rank != 1)
            MPI_Test(&dup[1], &flag, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&dup[1], MPI_STATUS_IGNORE);
    MPI_Barrier(triplet);
    printf("rank %d: %d %d %d %d\n", rank, sum[0], sum[1], to[2], last[0]);
    MPI_Comm_free(&triplet);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return 0;
}
