/* All ranks start a nonblocking barrier, and no rank completes it. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* want "LOCAL:REQUEST:NOT_FREED" "MPI_Ibarrier" */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
