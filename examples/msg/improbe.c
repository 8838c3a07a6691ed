/* Messages found by MPI_Improbe. MPI_Imrecv receives one as another type, and one into a buffer that is too short. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag, data[4] = {0};
    float f[4];
    MPI_Message message;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_Send of rank 0 sends 4 × MPI_INT, but MPI_Imrecv of rank 1.* receives it as 4 × MPI_FLOAT" */
        MPI_Send(data, 4, MPI_INT, 1, 1, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" */
    } else {
        do
            MPI_Improbe(0, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        while (!flag);
        MPI_Imrecv(f, 4, MPI_FLOAT, &message, &request); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        do
            MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        while (!flag);
        MPI_Imrecv(data, 2, MPI_INT, &message, &request); /* want "GLOBAL:MSG:TRUNCATED" */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
