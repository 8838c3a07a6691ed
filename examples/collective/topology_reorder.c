/* Only one rank allows MPI to renumber the processes. The ranks take different paths in MPICH and hang. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){2}, (int[1]){0}, rank, &grid); /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "reorder" ranks=0,1 may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&grid);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
