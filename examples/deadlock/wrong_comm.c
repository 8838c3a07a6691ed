/* A message is sent on one communicator and received on a duplicate of it. Messages do not cross communicators. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 1, copy);
        MPI_Recv(&value, 1, MPI_INT, 1, 1, copy, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" ranks=0,1 */
        MPI_Send(&value, 1, MPI_INT, 0, 1, copy);
    }
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
