/* MPI_LONG and MPI_INT64_T have the same size on this machine, but they are different types. */
/* run: np=2 */
#include <mpi.h>
#include <stdint.h>

int main(int argc, char **argv)
{
    int rank;
    long out = 1;
    int64_t in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&out, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    else
        MPI_Recv(&in, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_LONG(.|\n)*MPI_INT64_T" */
    MPI_Finalize();
    return 0;
}
