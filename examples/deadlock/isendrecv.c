/* Both ranks exchange messages with MPI_Isendrecv, and wait for a tag that the other rank does not send. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &request); /* want "GLOBAL:DEADLOCK:HARD" "but rank 1 sent tag 1" */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Wait for MPI_Isendrecv .* waits for tag 2" ranks=0,1 */
    MPI_Finalize();
    return 0;
}
