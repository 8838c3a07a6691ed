/* A message is longer than its nonblocking receive. MPI ends the program in MPI_Wait. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" */
    } else {
        MPI_Irecv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:TRUNCATED" "the message has 32 bytes, the buffer 16 bytes" count=1 ranks=0,1 */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
