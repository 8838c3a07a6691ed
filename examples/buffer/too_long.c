/* The buffer has room for the data, but not for MPI_BSEND_OVERHEAD. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, data[1000] = {0}, size = sizeof data;
    void *buffer = malloc(size);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, size);
        int bad = MPI_Bsend(data, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "LOCAL:BUFFER:INSUFFICIENT" "message of 4000 bytes" ranks=0 */
        if (bad)
            MPI_Send(data, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
    } else {
        MPI_Recv(data, 1000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
