/* The program may use the memory for buffered sends again after it has detached it. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static char buffer[10000];
    int rank, in[4], out[4] = {0}, size;
    void *detached;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        MPI_Buffer_attach(buffer, 9000);
        MPI_Bsend(out, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Bsend(out, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Ibsend(out, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(out, 4, MPI_INT, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(buffer + 9000, 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int k = 0; k < 3; k++)
            MPI_Recv(in, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Buffer_detach(&detached, &size);
        MPI_Bcast(buffer, 10000, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
