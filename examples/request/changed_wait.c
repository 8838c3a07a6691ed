/* A send that is never completed, and whose buffer is used again. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <stdlib.h>

enum { N = 100000 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *out = calloc(N, sizeof *out), *in = calloc(N, sizeof *in);
    if (rank == 0) {
        MPI_Isend(out, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* want error "LOCAL:REQUEST:NOT_FREED" "Its send buffer was changed before MPI_Finalize: some of its 800000 bytes" count=1 ranks=0 */
        MPI_Send(NULL, 0, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ((char *)out)[N] = 1;
    } else {
        MPI_Recv(NULL, 0, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
