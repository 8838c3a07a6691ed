/* Ranks that the communicator does not have, in every argument that is a rank. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int size, flag, out = 1, in = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(&out, 1, MPI_INT, size, 0, MPI_COMM_WORLD);                                                        /* want error "LOCAL:MPI:INVALID_ARGUMENT" "dest=2, which is not a rank of the communicator: ranks go from 0 to 1" ranks=0,1 */
    MPI_Ssend(&out, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD);                                             /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which is MPI_ANY_SOURCE: only receives and probes allow it" */
    MPI_Isend(&out, 1, MPI_INT, -77, 0, MPI_COMM_WORLD, &request);                                              /* want error "LOCAL:MPI:INVALID_ARGUMENT" "dest=-77" */
    MPI_Send_init(&out, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD, &request);                                     /* want error "LOCAL:MPI:INVALID_ARGUMENT" "dest=5" */
    MPI_Recv(&in, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                      /* want error "LOCAL:MPI:INVALID_ARGUMENT" "source=2" */
    MPI_Irecv(&in, 1, MPI_INT, MPI_ROOT, 0, MPI_COMM_WORLD, &request);                                          /* want error "LOCAL:MPI:INVALID_ARGUMENT" "source=" */
    MPI_Iprobe(size, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);                                              /* want error "LOCAL:MPI:INVALID_ARGUMENT" "source=2" */
    MPI_Improbe(size, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);                                   /* want error "LOCAL:MPI:INVALID_ARGUMENT" "source=2" */
    MPI_Sendrecv(&out, 1, MPI_INT, size, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);          /* want error "LOCAL:MPI:INVALID_ARGUMENT" "dest=2" */
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 0, &in, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "source=2" */
    MPI_Finalize();
    return 0;
}
