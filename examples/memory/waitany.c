/* One of two receives is complete. The program uses the buffer of the other one. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[2][4], out[4] = {0}, i, token = 0;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(in[0], 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(in[1], 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Irecv(in[1 - i], 4, MPI_INT, 1, 3, MPI_COMM_WORLD, &r[i]); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Irecv writes to memory that MPI_Irecv.* is still filling" ranks=0 */
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(out, 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
