/* The buffer of a communicator has no room for the message. That of the process would have, but the one of the
 * communicator comes first. */
/* run: np=1 stdout=any needs=MPI_Comm_attach_buffer */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int data[1000] = {0}, size = 1000 * sizeof(int) + MPI_BSEND_OVERHEAD;
    void *large = malloc(size), *small = malloc(size);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Buffer_attach(large, size);
    MPI_Comm_attach_buffer(MPI_COMM_SELF, small, size - 1000);
    int failed = MPI_Bsend(data, 1000, MPI_INT, 0, 0, MPI_COMM_SELF); /* want "LOCAL:BUFFER:INSUFFICIENT" "for a message of 4000 bytes" count=1 */
    if (!failed)
        MPI_Recv(data, 1000, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(MPI_COMM_SELF, &small, &size);
    MPI_Buffer_detach(&large, &size);
    MPI_Finalize();
    return 0;
}
