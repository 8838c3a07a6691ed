/* The request of a nonblocking flush is never completed. Open MPI completes it at once and returns MPI_REQUEST_NULL. */
/* run: np=1 mpi=mpich stdout=any timeout=10s hangs=mpich>=4.1 needs=MPI_Comm_iflush_buffer */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size = 1000;
    void *buffer = malloc(size);
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_attach_buffer(MPI_COMM_SELF, buffer, size);
    MPI_Comm_iflush_buffer(MPI_COMM_SELF, &r); /* want error "LOCAL:REQUEST:NOT_FREED" count=1 */
    MPI_Comm_detach_buffer(MPI_COMM_SELF, &buffer, &size);
    MPI_Finalize();
    return 0;
}
