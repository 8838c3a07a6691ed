/* The program may use a partition until it marks it ready, even to receive into it, and use what has arrived. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0}, more[8] = {0}, out[2] = {0}, flag;
    MPI_Request r[2], in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Psend_init(data, 4, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(more, 4, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    for (int i = 0; i < 5; i++) {
        MPI_Startall(2, r);
        MPI_Irecv(data + 2, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &in);
        MPI_Pready(0, r[0]);
        MPI_Send(out, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Wait(&in, MPI_STATUS_IGNORE);
        MPI_Pready_range(1, 3, r[0]);
        for (flag = 0; !flag;)
            MPI_Parrived(r[1], 3, &flag);
        MPI_Send(more + 6, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Allreduce(more + 6, out, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Finalize();
    return 0;
}
