/* The same exchange with MPI_Sendrecv, which does not block itself. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

#define SIZE (16 << 20)

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int peer = 1 - rank;
    char *out = calloc(1, SIZE), *in = malloc(SIZE);
    MPI_Sendrecv(out, SIZE, MPI_CHAR, peer, 0, in, SIZE, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
