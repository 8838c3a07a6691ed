/* The program sends messages from the memory that is attached for buffered sends. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    static char buffer[10000];
    int rank, in[4], out[4] = {0}, size;
    void *detached;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(out, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Bcast(buffer + 9000, 4, MPI_BYTE, 0, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Bcast (reads|writes to) memory that MPI_Buffer_attach.* has attached for buffered sends" ranks=0,1 */
    MPI_Recv(in, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &size);
    MPI_Finalize();
    return 0;
}
