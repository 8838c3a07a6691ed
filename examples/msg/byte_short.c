/* Bytes for ints, and not enough of them: that is more than a matter of MPI_BYTE. The error that MPI returns is part of it. */
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
