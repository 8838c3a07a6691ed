/* Ready sends whose receive is certainly posted. The sender knows it from a barrier, from a message of the receiver or
 * of a rank that heard from it, from its synchronous send to a later receive, or because it is the receiver itself. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, go = 1, sum;
    MPI_Request requests[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 0) {
            MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
            MPI_Send(&go, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Recv_init(&value, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
            MPI_Start(&requests[0]);
            MPI_Send(&go, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Start(&requests[0]);
            MPI_Allreduce(&go, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Request_free(&requests[0]);
            /* The receive with tag 7 is posted before the one that completes the synchronous send (tag 6). */
            MPI_Irecv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(&go, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            MPI_Irecv(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[0]);
            MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            MPI_Sendrecv(&go, 1, MPI_INT, 1, 9, &value, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&go, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&go, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Irsend(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Rsend_init(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
            MPI_Allreduce(&go, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Start(&requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Request_free(&requests[0]);
            MPI_Ssend(&go, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
            MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Rsend(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
            MPI_Recv(&go, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(&value, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(&go, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&go, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
            MPI_Allreduce(&go, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
        MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[2]);
        MPI_Rsend(&go, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
