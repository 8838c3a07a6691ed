/* Three ranks send in a circle over two communicators, one with MPI_Sendrecv. Its send does not cause the problem. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, in;
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, other); /* want "GLOBAL:DEADLOCK:POTENTIAL" "0 -> 1 -> 2 -> 0" */
        MPI_Recv(&in, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Sendrecv(&value, 1, MPI_INT, 2, 0, &in, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:POTENTIAL" */
        MPI_Recv(&in, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:POTENTIAL" */
        MPI_Sendrecv(&value, 1, MPI_INT, 1, 0, &in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
