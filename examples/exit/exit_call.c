/* An error path deep in the program calls exit() without MPI_Finalize. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

static void check_input(int rank)
{
    if (rank >= 0)
        exit(2); /* want "LOCAL:EXIT:BEFORE_MPI_FINALIZE" "exit" */
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    check_input(rank);
    MPI_Finalize();
    return 0;
}
