/* Bytes are received for ints, and too few of them: more than a BYTE mismatch. The error of MPI belongs to it. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, rc, data[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "also longer than the receive buffer" */
    } else {
        rc = MPI_Recv(data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" count=1 */
        printf("%s\n", rc == MPI_SUCCESS ? "fine" : "not fine");
    }
    MPI_Finalize();
    return 0;
}
