/* Displacements may be negative: the buffer argument points into the middle of an array. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, all[4] = {0}, counts[2] = {2, 2}, displs[2] = {-2, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allgatherv((int[2]){rank, rank}, 2, MPI_INT, all + 2, counts, displs, MPI_INT, MPI_COMM_WORLD);
    printf("%d %d\n", all[0], all[3]);
    MPI_Finalize();
    return 0;
}
