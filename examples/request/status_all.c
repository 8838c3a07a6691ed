/* MPI_Request_get_status_all says that the requests are complete. It does not free them. */
/* run: np=2 stdout=any timeout=10s hangs=mpich>=4.1 needs=MPI_Request_get_status_all */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag, out = 1, in;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);  /* want error "LOCAL:REQUEST:NOT_FREED" count=2 ranks=0,1 */
    MPI_Issend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]); /* want error "LOCAL:REQUEST:NOT_FREED" count=2 ranks=0,1 */
    do
        MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
