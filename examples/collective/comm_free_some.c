/* All ranks make a communicator, but only the even ranks free it. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* want "GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH" */
    if (rank % 2 == 0)
        MPI_Comm_free(&copy); /* want "GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH" "anks 0,2 free .*but ranks 1,3 never do" ranks=0,1,2,3 count=1 */
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
