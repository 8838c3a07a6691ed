/* Of 4 ranks, 0 and 1 wait for rank 2 in MPI_Bcast, and rank 2 waits for a message of rank 3, which computes. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, v = 0, sum, in[3] = {0};
    double later[2];
    MPI_Comm half;
    MPI_Request q[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Send(&v, 1, MPI_INT, 2, 99, MPI_COMM_WORLD); /* never received */
        MPI_Irecv(later, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &q[0]);
        MPI_Recv_init(later, 2, MPI_DOUBLE, 1, 3, half, &q[1]); /* never started */
        MPI_Ibarrier(half, &q[2]);
    }
    if (rank == 2)
        MPI_Recv(in, 3, MPI_INT, 3, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (volatile int forever = rank == 3; forever;)
        ;
    MPI_Bcast(&v, 1, MPI_INT, 2, MPI_COMM_WORLD);
    return 0;
}
