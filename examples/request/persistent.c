/* A persistent request exists until MPI_Request_free, even if it was completed many times. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out = rank, in;
    MPI_Request r[2];
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]); /* want warning "LOCAL:REQUEST:NOT_FREED" "MPI_Send_init" ranks=0,1 */
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 10; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[1]);
    MPI_Finalize();
    return 0;
}
