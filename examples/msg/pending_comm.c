/* A communicator is freed while messages are pending on it. A message that MPI_Mprobe has matched is never received. */
/* run: np=3 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH from 4.1 on refuses to free the communicator */
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup); /* may warning "LOCAL:COMM:NOT_FREED" */
        if (rank > 0)
            MPI_Send(&x, 0, MPI_INT, 0, i, dup); /* want "GLOBAL:MSG:PENDING" "All processes of the communicator have freed it|MPI refuses to free the communicator" count=6 ranks=0,1,2 */
        MPI_Barrier(dup);
        MPI_Comm_free(&dup);
    }
    if (rank == 0) {
        MPI_Message message;
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Request r;
        MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r); /* want "GLOBAL:MSG:PENDING" "MPI_Isend sends a message to rank 0 with tag 0, but MPI_Mprobe.* takes it without a call of MPI_Mrecv or" ranks=0,1 */
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
