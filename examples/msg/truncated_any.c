/* Receives from MPI_ANY_SOURCE that are too short. MPI reports the source, and mpivet still matches later messages. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0};
    MPI_Status status;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(data, 8, MPI_INT, 1, 2, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" */
        MPI_Send(data, 8, MPI_INT, 1, 3, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" */
        MPI_Send(data, 2, MPI_FLOAT, 1, 4, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    } else {
        MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status); /* want "GLOBAL:MSG:TRUNCATED" "tag=2" count=1 */
        MPI_Irecv(data, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:TRUNCATED" "tag=3" count=1 */
        MPI_Wait(&request, &status);
        MPI_Recv(data, 4, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_Send of rank 0 sends 2 × MPI_FLOAT, but MPI_Recv of rank 1.* receives it as 4 × MPI_INT" */
    }
    MPI_Finalize();
    return 0;
}
