/* Synchronous sends around a ring. Each send waits for a receive that is called only after another send. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out = rank, in;
    MPI_Ssend(&out, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Ssend" ranks=0,1,2 */
    MPI_Recv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
