/* Correct: the root has room for parts of different lengths. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[5] = {0}, to[7], counts[3] = {1, 5, 1}, displs[3] = {0, 1, 6};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gatherv(from, rank == 1 ? 5 : 1, MPI_INT, to, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
