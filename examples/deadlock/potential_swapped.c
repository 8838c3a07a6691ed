/* Two requests are swapped. The ranks wait for both sends before they receive the messages of the other rank. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[2] = {1, 2}, in[2], to = 1 - rank;
    MPI_Request first, second, other;
    MPI_Isend(&out[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &first); /* want "GLOBAL:DEADLOCK:POTENTIAL" */
    MPI_Isend(&out[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &second);
    other = first;
    first = second;
    second = other;
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    MPI_Wait(&second, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Wait for MPI_Isend.* may wait for rank 1 to receive \(4 bytes\), and rank 1 is itself in MPI_Wait for" */
    MPI_Recv(&in[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
