/* A message is found by MPI_Mprobe and received by MPI_Mrecv with another type than it was sent with. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, i = 1;
    float f;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    } else {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&f, 1, MPI_FLOAT, &message, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_FLOAT" */
    }
    MPI_Finalize();
    return 0;
}
