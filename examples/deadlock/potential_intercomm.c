/* Both groups of an inter-communicator send first. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, me;
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    MPI_Comm_rank(inter, &me);
    MPI_Send(&value, 1, MPI_INT, me, 0, inter); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Send may wait for rank [13] to receive \(4 bytes\), and rank [13] is itself in MPI_Send to rank [02]" count=2 ranks=0,1,2,3 */
    MPI_Recv(&value, 1, MPI_INT, me, 0, inter, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
