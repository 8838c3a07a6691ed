/* Examples 4 and 5 of Falzone et al., "Collective Error Detection for MPI Collective Operations": all but the last
 * process pass 0 as the root of MPI_Bcast, the last one passes its own rank. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&value, 1, MPI_INT, rank == size - 1 ? rank : 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "rank 3 passes root=3" ranks=0,1,2,3 may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
