/* Three ranks block each other while the fourth rank computes. mpivet need not wait until that rank stops too. */
/* run: np=4 within=10s */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank < 3) {
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" ranks=0,1,2 */
        MPI_Send(&value, 1, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD);
    } else {
        sleep(30); /* represents a long computation */
    }
    MPI_Finalize();
    return 0;
}
