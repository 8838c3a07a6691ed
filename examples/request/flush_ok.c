/* The request of a nonblocking flush is completed. */
/* run: np=1 needs=MPI_Comm_iflush_buffer */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size = 1000;
    void *buffer = malloc(size);
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_attach_buffer(MPI_COMM_SELF, buffer, size);
    MPI_Comm_iflush_buffer(MPI_COMM_SELF, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(MPI_COMM_SELF, &buffer, &size);
    free(buffer);
    MPI_Finalize();
    return 0;
}
