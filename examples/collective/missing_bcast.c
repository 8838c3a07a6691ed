/* The root uses MPI_Bcast as a send to all, and the other ranks call MPI_Recv (the example of the
 * paper on collective checking, section 5). */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:MISSING" "ranks 1,2 .*MPI_Recv for rank 0" ranks=0,1,2 count=1 */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" want "GLOBAL:COLLECTIVE:MISSING" */
    MPI_Finalize();
    return 0;
}
