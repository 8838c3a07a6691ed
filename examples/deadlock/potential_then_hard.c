/* The exchange works with short messages and hangs with a long one. This is a deadlock and reported as one. */
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
    int other = 1 - rank;
    char *data = calloc(2, SIZE);
    for (int n = 1; n <= SIZE; n *= 16) {
        MPI_Send(data, n, MPI_CHAR, other, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" */
        MPI_Recv(data + SIZE, n, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
