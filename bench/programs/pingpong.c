/* Two ranks send a message back and forth: pingpong SIZE SECONDS. Prints the time of half a round trip in seconds. */
#include "measure.h"

static int rank, size;
static char *data;

static void work(long n)
{
    for (long i = 0; i < n; i++) {
        if (rank == 0) {
            MPI_Send(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv)
{
    double seconds;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size = argc > 1 ? atoi(argv[1]) : 8;
    data = calloc(1, size);
    seconds = measure(work, argc > 2 ? atof(argv[2]) : 1);
    if (rank == 0)
        printf("%.4g\n", seconds / 2);
    free(data);
    MPI_Finalize();
    return 0;
}
