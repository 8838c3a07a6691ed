/* The message is longer than the receive buffer; MPI says so in the receive. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MPI:CALL_FAILED" "(?i)trunc" ranks=1 */
    MPI_Finalize();
    return 0;
}
