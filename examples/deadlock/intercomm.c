/* On an inter-communicator, ranks are those of the other group. The receiver names the wrong rank of that group. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
    if (rank == 1)
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, inter); /* want "GLOBAL:DEADLOCK:HARD" */
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Recv waits for tag 0 from rank 0, but the message comes from rank 1" ranks=0,1,2,3 */
    MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:MISSING" want "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
