/* A process may compare a handle with MPI_COMM_NULL. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm evens, parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, 0, &evens);
    if (parent == MPI_COMM_NULL && evens != MPI_COMM_NULL) {
        MPI_Barrier(evens);
        MPI_Comm_free(&evens);
    }
    MPI_Finalize();
    return 0;
}
