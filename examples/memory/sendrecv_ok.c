/* One buffer for both directions: in MPI_Sendrecv_replace, with MPI_PROC_NULL as one peer, and without data. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[20] = {0};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        MPI_Sendrecv(data, 10, MPI_INT, 1 - rank, 0, data + 10, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(data, 20, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(data, 10, MPI_INT, rank ? MPI_PROC_NULL : 1, 0, data, 10, MPI_INT, rank ? 0 : MPI_PROC_NULL, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(data, 0, MPI_INT, 1 - rank, 0, data, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(data, 20, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* Twice from the same buffer. */
        MPI_Isend(data, 5, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r);
        MPI_Sendrecv(data, 5, MPI_INT, 1 - rank, 2, data + 5, 5, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Recv(data + 10, 5, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
