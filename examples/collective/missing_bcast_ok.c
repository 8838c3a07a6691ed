/* The receivers of a broadcast call MPI_Bcast too. They call MPI_Recv for messages that the root sends in a loop. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, more = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        value = more = 1;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(&more, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&more, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d: %d %d\n", rank, value, more);
    MPI_Finalize();
    return 0;
}
