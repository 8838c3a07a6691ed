/* The program may wait for null and inactive requests, also in arrays with others. It may copy and reuse handles. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[4] = {0}, out, flag, index, n, indices[4];
    MPI_Request r[4], copy, same[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    r[0] = r[1] = r[2] = r[3] = MPI_REQUEST_NULL;
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(4, r, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Testsome(4, r, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    MPI_Recv_init(&in[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&r[1]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[2]);
        copy = r[2];
        r[2] = MPI_REQUEST_NULL;
        MPI_Wait(&copy, MPI_STATUS_IGNORE);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
        MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);
        MPI_Testsome(4, r, &n, indices, MPI_STATUSES_IGNORE);
    }
    r[3] = r[1]; /* an inactive request, twice in the array */
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    r[3] = MPI_REQUEST_NULL;
    MPI_Request_free(&r[1]);
    for (int i = 0; i < 8; i++)
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &same[i]); /* possibly all with one handle */
    for (int i = 0; i < 8; i++)
        MPI_Recv(&in[0], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&same[3], MPI_STATUS_IGNORE);
    MPI_Waitall(8, same, MPI_STATUSES_IGNORE);
    MPI_Waitall(8, same, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
