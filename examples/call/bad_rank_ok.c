/* At the ends of a line of ranks the neighbour is MPI_PROC_NULL. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, right, left, value, got = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    value = rank;
    MPI_Send(&value, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d got %d\n", rank, got);
    MPI_Finalize();
    return 0;
}
