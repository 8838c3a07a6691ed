/* The receive waits forever, because the message has another tag. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, done = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD); /* want "GLOBAL:MSG:PENDING" "MPI_Send sends a message to rank 1 with tag 5, but it is never received: MPI_Irecv.* of rank 1 waits for tag 6" */
    } else {
        MPI_Request r;
        MPI_Irecv(&x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &r); /* want "LOCAL:REQUEST:NOT_FREED" */
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
