/* Bytes sent and received as bytes. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, i = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&i, sizeof i, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&i, sizeof i, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
