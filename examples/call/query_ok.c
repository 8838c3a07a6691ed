/* The same split, but the processes that are left out do not query the communicator. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm evens;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, 0, &evens);
    if (evens != MPI_COMM_NULL) {
        MPI_Comm_rank(evens, &rank);
        MPI_Barrier(evens);
        MPI_Comm_free(&evens);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
