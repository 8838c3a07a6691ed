/* The ranks wait for a nonblocking send before they receive the message of the other rank. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = 1 - rank, value = rank, in;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:DEADLOCK:POTENTIAL" */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Wait for MPI_Isend.* may wait for rank 1 to receive \(4 bytes\), and rank 1 is itself in MPI_Wait for" */
    MPI_Recv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
