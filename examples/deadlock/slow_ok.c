/* All ranks wait for a slow rank: in a barrier, a receive, a probe and MPI_Waitany. A slow rank is not blocked. */
/* run: np=4 */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = 0, index;
    MPI_Request request[2];
    for (int step = 0; step < 2; step++) {
        if (rank == 3) {
            sleep(1);
            for (int i = 0; i < 3; i++)
                MPI_Send(&rank, 1, MPI_INT, i, step, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Recv(&value, 1, MPI_INT, 3, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Probe(MPI_ANY_SOURCE, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, 3, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &request[0]);
            request[1] = MPI_REQUEST_NULL;
            MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
