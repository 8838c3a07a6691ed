/* Only the root calls MPI_Bcast. The call returns at once, and the program ends as if nothing were wrong. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:MISSING" "ranks 1,2 never do: they have called MPI_Finalize" ranks=0,1,2 */
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
