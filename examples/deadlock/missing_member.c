/* One rank leaves out a barrier and goes on to MPI_Finalize. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 2)
        MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Barrier" want "GLOBAL:COLLECTIVE:MISSING" */
    MPI_Finalize();
    return 0;
}
