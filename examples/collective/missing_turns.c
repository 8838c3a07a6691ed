/* The root makes two iterations more than the other ranks. This is one cause, so it is one finding. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, turns, value = 1;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    turns = rank == 0 ? 5 : 3;
    for (int i = 0; i < turns; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, comm); /* want "GLOBAL:COLLECTIVE:MISSING" "collective 4 on(.|\s)*1 later collective" ranks=0,1,2 count=1 */
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
