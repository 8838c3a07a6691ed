/* All send modes, blocking and nonblocking, to a receiver that has already posted its receives. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, out = 3, in[8] = {0}, sum = 0, size;
    char *buffer;
    MPI_Request r[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size = 8 * (MPI_BSEND_OVERHEAD + 64);
    buffer = malloc(size);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, size);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&out, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Bsend(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(&out, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Rsend(&out, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Isend(&out, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &r[4]);
        MPI_Ibsend(&out, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r[5]);
        MPI_Issend(&out, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &r[6]);
        MPI_Irsend(&out, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &r[7]);
        MPI_Waitall(4, r + 4, MPI_STATUSES_IGNORE);
        MPI_Buffer_detach(&buffer, &size);
    } else {
        for (int i = 0; i < 8; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &r[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 8; i++)
            sum += in[i];
        printf("%d\n", sum);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
