/* Ready sends whose receive may not be posted yet: nothing orders the two calls, or the receiver posts the receive only
 * after the barrier or the message that should tell the sender. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, go = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:READY_SEND" */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:READY_SEND" */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&go, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:READY_SEND" */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Rsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:READY_SEND" "MPI_Rsend" ranks=0,1 */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irsend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:READY_SEND" count=1 */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&go, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend_init(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:READY_SEND" */
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
