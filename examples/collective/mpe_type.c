/* Examples 2 and 3 of Falzone et al., "Collective Error Detection for MPI Collective Operations": all but the last
 * process pass MPI_INT to MPI_Bcast, the last one passes MPI_BYTE. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&value, 1, rank == size - 1 ? MPI_BYTE : MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "rank 3 passes 1 × MPI_BYTE" may "LOCAL:MPI:CALL_FAILED" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
