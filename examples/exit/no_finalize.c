/* The program forgets MPI_Finalize and returns from main. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* want "LOCAL:EXIT:BEFORE_MPI_FINALIZE" */
    return 0;
}
