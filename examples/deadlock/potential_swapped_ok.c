/* Two requests are swapped before the first wait. If they share a handle, only the program can tell them apart. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[2] = {1, 2}, in;
    if (rank == 0) {
        MPI_Request first, second, other;
        MPI_Isend(&out[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &first);
        MPI_Isend(&out[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &second);
        other = first;
        first = second;
        second = other;
        MPI_Wait(&first, MPI_STATUS_IGNORE); /* rank 2 receives this message at once */
        MPI_Recv(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&second, MPI_STATUS_IGNORE);
    } else {
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
