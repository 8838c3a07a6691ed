/* Rank 0 receives from rank 2 at once in its exchange. Rank 1 receives the message of rank 0 after a while. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 20 };
static int out[N], in[N];

int main(int argc, char **argv)
{
    int rank, all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Sendrecv(out, N, MPI_INT, 1, 0, in, N, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 1) {
        sleep(2);
        MPI_Sendrecv(out, N, MPI_INT, 2, 0, in, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else
        MPI_Sendrecv(out, N, MPI_INT, 0, 0, in, N, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
