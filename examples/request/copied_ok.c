/* A request handle is a value. It may be copied, stored elsewhere and completed there, in any order. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[3] = {1, 2, 3}, in[3] = {0};
    MPI_Request request, kept[6];
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request);
        kept[i] = request;
    }
    for (int i = 2; i >= 0; i--) {
        MPI_Isend(&out[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &request);
        kept[3 + i] = request;
    }
    MPI_Wait(&kept[4], MPI_STATUS_IGNORE);
    request = kept[1];
    kept[1] = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Waitall(6, kept, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
