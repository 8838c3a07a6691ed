/* On an inter-communicator, ranks are those of the other group. Rank 0 of each group talks to rank 0 of the other. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, peer, i = 1;
    float f;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
    MPI_Comm_rank(half, &peer);
    if (rank < 2)
        MPI_Send(&i, 1, MPI_INT, peer, 0, inter); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    else if (rank == 3)
        MPI_Recv(&f, 1, MPI_FLOAT, peer, 0, inter, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" ranks=1,3 */
    else
        MPI_Recv(&i, 1, MPI_INT, peer, 0, inter, MPI_STATUS_IGNORE);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
