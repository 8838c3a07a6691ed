/* Two ranks send 8 bytes back and forth: traffic CALLS. CALLS is the number of calls of both ranks together. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    char data[8] = {0};
    long n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = argc > 1 ? atol(argv[1]) / 4 : 1000;
    for (long i = 0; i < n; i++) {
        if (rank == 0) {
            MPI_Send(data, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(data, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
