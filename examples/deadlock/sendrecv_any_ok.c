/* Rank 0's exchange gets its message from rank 2 at once, and rank 1 receives its own when it has computed for a while. */
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
