/* Two 32-bit integers do not match one 64-bit integer, although the sizes are equal. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, halves[2] = {1, 2};
    long long whole;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Ssend(halves, 2, MPI_INT, 0, 3, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    else
        MPI_Recv(&whole, 1, MPI_LONG_LONG, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    MPI_Finalize();
    return 0;
}
