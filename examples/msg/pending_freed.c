/* A receive still gets its message after its request was freed, so no send is left over. But the program
 * cannot know when it may use the buffers. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, y[2] = {0};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int peer = 1 - rank;
    MPI_Irecv(&y[0], 1, MPI_INT, peer, 6, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r); /* want warning "LOCAL:REQUEST:PREMATURE_FREE" "MPI_Irecv" count=2 ranks=0,1 */
    MPI_Send(&x, 1, MPI_INT, peer, 6, MPI_COMM_WORLD);
    MPI_Irecv(&y[1], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r); /* want warning "LOCAL:REQUEST:PREMATURE_FREE" "MPI_Irecv" count=2 ranks=0,1 */
    MPI_Send(&x, 1, MPI_INT, peer, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
