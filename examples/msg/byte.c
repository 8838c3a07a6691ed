/* MPI_BYTE matches only MPI_BYTE. Other types work on equal machines, so this check can be disabled separately. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, i = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE" */
    else
        MPI_Recv(&i, sizeof i, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE" "MPI_BYTE" */
    MPI_Finalize();
    return 0;
}
