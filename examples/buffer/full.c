/* The buffer has room for each message, but not for all messages that are sent before the first receive. */
/* run: np=1 stdout=any */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int data[1000] = {0}, size = 3000 * sizeof(int) + 3 * MPI_BSEND_OVERHEAD, sent = 0;
    void *buffer = malloc(size);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Buffer_attach(buffer, size);
    for (int i = 0; i < 4; i++)
        sent += !MPI_Bsend(data, 1000, MPI_INT, 0, 0, MPI_COMM_SELF); /* want "LOCAL:BUFFER:INSUFFICIENT" "messages to itself, not received yet" count=1 */
    while (sent--)
        MPI_Recv(data, 1000, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &size);
    MPI_Finalize();
    return 0;
}
