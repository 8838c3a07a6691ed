/* Communicators that are not freed: some of a loop, topologies, an inter-communicator, one with a single process. */
/* run: np=2 */
#include <mpi.h>

static void talk(MPI_Comm comm)
{
    MPI_Comm mine;
    MPI_Comm_dup(comm, &mine); /* want "LOCAL:COMM:NOT_FREED" "5 communicators made by MPI_Comm_dup are never freed" count=10 */
    MPI_Barrier(mine);
}

int main(int argc, char **argv)
{
    int rank, two = 2, period = 1;
    MPI_Comm half, between, ring, other;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++)
        talk(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &half); /* want "LOCAL:COMM:NOT_FREED" ranks=0 */
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &between); /* want "LOCAL:COMM:NOT_FREED" ranks=0,1 */
    MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &period, 0, &ring); /* want "LOCAL:COMM:NOT_FREED" */
    MPI_Comm_idup(MPI_COMM_WORLD, &other, &request); /* want "LOCAL:COMM:NOT_FREED" */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
