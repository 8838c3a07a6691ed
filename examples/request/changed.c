/* A send that is never completed, as its request is overwritten. Its buffer is used again. */
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
    double *out = calloc(N, sizeof *out), *in = calloc(N, sizeof *in), last = 0;
    if (rank == 0) {
        MPI_Isend(out, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* want error "LOCAL:REQUEST:LOST" "Its send buffer was changed before MPI_Finalize: some of its 800000 bytes are different" count=1 ranks=0 */
        MPI_Irecv(&last, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request); /* want "LOCAL:REQUEST:LOST" */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        out[2] = out[3] = 1;
    } else {
        MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&last, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
