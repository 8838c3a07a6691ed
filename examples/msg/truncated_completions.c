/* Receives that are too short, completed by each function that completes or tests several requests. The program has
 * errors returned. The receives are complete, and each one is one finding. */
/* run: np=2 stdout=any */
#include <mpi.h>

static int data[8];

static MPI_Request *receive(int tag)
{
    static MPI_Request r[2];
    r[0] = MPI_REQUEST_NULL;
    MPI_Irecv(data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &r[1]); /* want "GLOBAL:MSG:TRUNCATED" */
    return r;
}

int main(int argc, char **argv)
{
    int rank, flag = 0, index, n = 0, indices[2];
    MPI_Status status[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (int tag = 0; tag < 6; tag++)
            MPI_Send(data, 2, MPI_INT, 1, tag, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" count=1 */
        MPI_Send(data, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    } else {
        MPI_Request *r = receive(0);
        MPI_Waitany(2, r, &index, status);
        r = receive(1);
        MPI_Waitsome(2, r, &n, indices, status);
        r = receive(2);
        while (r[1] != MPI_REQUEST_NULL)
            MPI_Test(&r[1], &flag, status);
        r = receive(3);
        while (r[1] != MPI_REQUEST_NULL)
            MPI_Testany(2, r, &index, &flag, status);
        r = receive(4);
        while (r[1] != MPI_REQUEST_NULL)
            MPI_Testsome(2, r, &n, indices, status);
        r = receive(5);
        while (r[1] != MPI_REQUEST_NULL)
            MPI_Testall(2, r, &flag, status);
        r = receive(6); /* the message of this receive fits */
        MPI_Waitany(2, r, &index, status);
    }
    MPI_Finalize();
    return 0;
}
