/* Both ranks wait for each other. If they have many objects at that moment, mpivet reports them. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a = 0;
    MPI_Request request;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    for (int i = 0; i < 120; i++)
        MPI_Ssend_init(&a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request); /* want info "LOCAL:REQUEST:NOT_FREED" "has 100 requests" count=2 want info "LOCAL:REQUEST:NOT_FREED" "The run ended while rank . had 120 requests" count=2 */
    MPI_Recv(&a, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
