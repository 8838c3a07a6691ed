/* One of two requests fails. MPI_Waitall returns MPI_ERR_IN_STATUS, and the program looks into the statuses. The error
 * concerns one message, and the finding is about this message. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, rc, class, a[4], b[4], data[8] = {0};
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data, 8, MPI_INT, 1, 1, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" */
    } else {
        MPI_Irecv(a, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(b, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[1]); /* want "GLOBAL:MSG:TRUNCATED" count=1 */
        MPI_Send(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD);
        rc = MPI_Waitall(2, request, status);
        MPI_Error_class(rc, &class);
        printf("%s\n", class == MPI_ERR_IN_STATUS ? "MPI_ERR_IN_STATUS" : "another error");
        MPI_Error_class(status[1].MPI_ERROR, &class);
        printf("%s\n", class == MPI_ERR_TRUNCATE ? "MPI_ERR_TRUNCATE" : "another error");
    }
    MPI_Finalize();
    return 0;
}
