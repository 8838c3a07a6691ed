/* One variable for two receives. Only the second one can be completed. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[2] = {0}, out;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    MPI_Irecv(&in[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request); /* want error "LOCAL:REQUEST:LOST" "MPI_Irecv" count=2 ranks=0,1 */
    MPI_Irecv(&in[1], 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request); /* want "LOCAL:REQUEST:LOST" */
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
