/* Persistent requests are started again after any of several calls has completed them. Copies
 * of inactive requests may be used too. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[2] = {0}, out, flag = 0, index, n, indices[2];
    MPI_Request r[2], copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&in[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Start(&r[1]);
    copy = r[0];
    MPI_Start(&copy);
    while (!flag)
        MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    MPI_Startall(2, r);
    for (int i = 0; i < 2; i++)
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    MPI_Startall(2, r);
    for (int done = 0; done < 2; done += n)
        MPI_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Start(&r[1]);
    MPI_Cancel(&r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&r[1]);
    MPI_Request_free(&r[0]);
    MPI_Finalize();
    return 0;
}
