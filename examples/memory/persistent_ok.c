/* Persistent requests share a buffer, but only one of them is active at a time. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[4] = {0}, more[4] = {0}, flag;
    MPI_Request r[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(data, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(more, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Send_init(more, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[2]);
    MPI_Recv_init(data, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[3]);
    for (int i = 0; i < 10; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Start(&r[2]);
        MPI_Start(&r[3]);
        for (flag = 0; !flag;)
            MPI_Testall(2, r + 2, &flag, MPI_STATUSES_IGNORE);
        MPI_Sendrecv_replace(data, 4, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(more, 4, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&r[i]);
    MPI_Finalize();
    return 0;
}
