/* The rank that does not call the barrier is not in its communicator. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm two;
    MPI_Comm_split(MPI_COMM_WORLD, rank != 2 ? 0 : MPI_UNDEFINED, 0, &two);
    if (rank != 2) {
        MPI_Barrier(two);
        MPI_Comm_free(&two);
    }
    MPI_Finalize();
    return 0;
}
