/* Tags out of range, and MPI_ANY_TAG in a send. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int flag, out = 1, in = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, -3, MPI_COMM_WORLD);                                    /* want error "LOCAL:MPI:INVALID_ARGUMENT" "tag=-3, which is negative" */
    MPI_Isend(&out, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);                            /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which is MPI_ANY_TAG: only receives and probes allow it" */
    MPI_Irecv(&in, 1, MPI_INT, 0, -33, MPI_COMM_WORLD, &request);                                     /* want error "LOCAL:MPI:INVALID_ARGUMENT" "tag=-33" */
    MPI_Iprobe(0, -33, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);                                     /* want error "LOCAL:MPI:INVALID_ARGUMENT" "tag=-33" */
    MPI_Recv_init(&in, 1, MPI_INT, 0, -33, MPI_COMM_WORLD, &request);                                 /* want error "LOCAL:MPI:INVALID_ARGUMENT" "tag=-33" */
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, -33, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "recvtag=-33" */
    MPI_Finalize();
    return 0;
}
