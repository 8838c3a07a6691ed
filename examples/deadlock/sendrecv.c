/* A shift by MPI_Sendrecv in which one rank has its neighbours swapped. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out = rank, in;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    if (rank == 1)
        right = left;
    MPI_Sendrecv(&out, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Sendrecv" ranks=0,1,2 */
    MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
