/* A persistent send and a persistent receive with different types. This is one finding, however often they start. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    short s[2] = {1, 2};
    int i;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send_init(s, 2, MPI_SHORT, 1, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_SHORT(.|\n)*MPI_INT" count=5 */
    else
        MPI_Recv_init(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    for (int n = 0; n < 5; n++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
