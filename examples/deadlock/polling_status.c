/* Rank 0 polls with MPI_Request_get_status for a message that rank 1 never sends. */
/* run: np=2 flags="--no-progress=1s" */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, in;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        double end = MPI_Wtime() + 8;
        MPI_Irecv(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag && MPI_Wtime() < end)
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE); /* want warning "GLOBAL:DEADLOCK:NO_PROGRESS" "MPI_Request_get_status polls for rank 1 to send \(tag=0, MPI_COMM_WORLD\), but this can never happen" ranks=0 */
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
