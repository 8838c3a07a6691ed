/* The program never completes its sends: three at one line, whose variable is reused, and one at another line. */
/* run: np=2 timeout=10s hangs=mpich>=4.1 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, in;
    MPI_Request request;
    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            MPI_Isend(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request); /* want error "LOCAL:REQUEST:LOST" "MPI_Isend" count=2 ranks=0 want error "LOCAL:REQUEST:LOST" "MPI_Issend" count=1 ranks=0 */
        else
            MPI_Recv(&in, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Issend(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request); /* want error "LOCAL:REQUEST:NOT_FREED" count=1 ranks=0 */
    else
        MPI_Recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
