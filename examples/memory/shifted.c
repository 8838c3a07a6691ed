/* A nonblocking collective receives into a part of its send buffer. MPI itself changes this part before the operation
 * is complete, but this is one error and not two. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[6] = {1, 2, 3, 4, 5, 6};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ialltoall(data, 2, MPI_INT, data + 1, 2, MPI_INT, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:OVERLAP" "MPI_Ialltoall" count=2 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
