/* A process that is to be in no new communicator passes MPI_UNDEFINED, whatever the split type of the others. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size = 0;
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node);
    if (node != MPI_COMM_NULL) {
        MPI_Comm_size(node, &size);
        MPI_Comm_free(&node);
    }
    printf("rank %d: %d\n", rank, size);
    MPI_Finalize();
    return 0;
}
