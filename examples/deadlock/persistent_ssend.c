/* Both ranks start a synchronous send, and wait for it before they receive. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ssend_init(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Wait for MPI_Ssend_init .* waits for rank 1 to receive" ranks=0,1 */
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
