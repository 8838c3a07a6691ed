/* MPI_DATATYPE_NULL where the datatype is not significant: on other ranks than the root, and with MPI_IN_PLACE. */
/* run: np=3 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, a[8] = {0}, b[24] = {0}, counts[3] = {1, 1, 1}, displs[3] = {0, 1, 2};
    MPI_Datatype null = MPI_DATATYPE_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int root = rank == 1;
    MPI_Gather(a, 1, MPI_INT, b, 1, root ? MPI_INT : null, 1, MPI_COMM_WORLD);
    MPI_Gatherv(a, 1, MPI_INT, b, counts, displs, root ? MPI_INT : null, 1, MPI_COMM_WORLD);
    MPI_Scatter(b, 1, root ? MPI_INT : null, a, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (root) {
        MPI_Gather(MPI_IN_PLACE, 0, null, b, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Scatter(b, 1, MPI_INT, MPI_IN_PLACE, 0, null, 1, MPI_COMM_WORLD);
    } else {
        MPI_Gather(a, 1, MPI_INT, NULL, 0, null, 1, MPI_COMM_WORLD);
        MPI_Scatter(NULL, 0, null, a, 1, MPI_INT, 1, MPI_COMM_WORLD);
    }
    MPI_Allgather(MPI_IN_PLACE, 0, null, b, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, null, b, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, null, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
