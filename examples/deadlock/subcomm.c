/* In each half, one rank waits in a collective for the other one, which waits for a message from the other half. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    if (rank == 3)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    MPI_Barrier(half); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Barrier" ranks=0,1,2,3 want "GLOBAL:COLLECTIVE:MISSING" */
    if (rank % 2 == 0)
        MPI_Send(&value, 1, MPI_INT, rank == 0 ? 3 : 1, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
