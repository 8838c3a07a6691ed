/* Both ranks send first, which works because MPI buffers the messages. They have posted a receive for control messages
 * before, which they cancel afterwards. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, control, in;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&control, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Send may wait for rank 1 to receive \(4 bytes\), and rank 1 is itself in MPI_Send to rank 0 at the same" ranks=0,1 */
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
