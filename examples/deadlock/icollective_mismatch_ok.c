/* All ranks start the same nonblocking collectives, one rank late. They wait for the first one before the others. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 12 };

int main(int argc, char **argv)
{
    int rank, value[N] = {0};
    MPI_Request requests[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++) {
        if (rank == 2 && i == N / 2)
            sleep(1);
        value[i] = rank == 0 ? i : -1;
        if (i % 2 == 0)
            MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Ibcast(&value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Waitall(N, requests, MPI_STATUSES_IGNORE);
    printf("rank %d has %d\n", rank, value[N - 1]);
    MPI_Finalize();
    return 0;
}
