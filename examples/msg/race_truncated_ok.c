/* Two receives from MPI_ANY_SOURCE are posted. Both have room for the longer message, so either may get it. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[2][8] = {{0}};
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(data[i], 8, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]); /* want info "GLOBAL:MSG:RACE" count=1 */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(data, rank == 1 ? 8 : 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
