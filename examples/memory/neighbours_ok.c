/* At the ends of a line, the receive buffer has a part for the missing neighbour. MPI does not touch it. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int size, dims[1], periods[1] = {0}, data[8] = {0}, rank, left, right;
    MPI_Comm line;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    dims[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
    MPI_Comm_rank(line, &rank);
    MPI_Cart_shift(line, 0, 1, &left, &right);
    for (int i = 0; i < 10; i++) {
        MPI_Neighbor_alltoall(data, 2, MPI_INT, data + 4, 2, MPI_INT, line);
        MPI_Ineighbor_alltoall(data, 2, MPI_INT, data + 4, 2, MPI_INT, line, &r);
        if (rank == 0)
            MPI_Sendrecv_replace(data + 4, 2, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Neighbor_allgather(data, 2, MPI_INT, data + 2, 2, MPI_INT, line);
    }
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
