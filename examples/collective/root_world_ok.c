/* The root is a rank in the communicator of the call. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    MPI_Bcast(&value, 1, MPI_INT, 0, half);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
