/* The buffer of the communicator has room for the message. That of the process would be too small. */
/* run: np=1 needs=MPI_Comm_attach_buffer */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int data[1000] = {0}, size = 1000 * sizeof(int) + MPI_BSEND_OVERHEAD;
    void *large = malloc(size), *small = malloc(size);
    MPI_Init(&argc, &argv);
    MPI_Buffer_attach(small, size - 1000);
    MPI_Comm_attach_buffer(MPI_COMM_SELF, large, size);
    MPI_Bsend(data, 1000, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Recv(data, 1000, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(MPI_COMM_SELF, &large, &size);
    MPI_Buffer_detach(&small, &size);
    free(large);
    free(small);
    MPI_Finalize();
    return 0;
}
