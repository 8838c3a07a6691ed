/* Receives into adjacent buffers, into one buffer one after the other, without data, and from MPI_PROC_NULL. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[20], out[10] = {0};
    MPI_Request r[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 50; i++) {
        MPI_Irecv(in, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(in + 10, 10, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Irecv(in, 10, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[2]);
        MPI_Irecv(in + 3, 0, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &r[3]);
        MPI_Isend(in + 4, 0, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &r[4]);
        MPI_Isend(in, 10, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &r[5]);
        MPI_Send(out, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Send(out, 10, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
        MPI_Irecv(in + 5, 10, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, 10, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Send(in + 5, 10, MPI_INT, rank ? MPI_PROC_NULL : 1, 4, MPI_COMM_WORLD);
        MPI_Recv(in + 5, 10, MPI_INT, rank ? 0 : MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
