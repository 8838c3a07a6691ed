/* The smallest tag, the largest tag and MPI_ANY_TAG. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int flag, *bound, out = 1, in = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, *bound, &in, 1, MPI_INT, 0, *bound, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
