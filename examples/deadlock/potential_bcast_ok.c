/* The message is received before the broadcast, or its receive is started before the broadcast. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, other = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 102, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 102, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, 3, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Irecv(&other, 1, MPI_INT, 0, 102, MPI_COMM_WORLD, &request);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 102, MPI_COMM_WORLD);
    MPI_Bcast(&value, 1, MPI_INT, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
