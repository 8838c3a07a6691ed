/* One variable for many requests. Each is copied before the next one, and the copies are completed at the end. */
/* run: np=2 */
#include <mpi.h>

static MPI_Request receive(int *value, int from, int tag)
{
    MPI_Request request; /* at the same address in every call */
    MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
    return request;
}

int main(int argc, char **argv)
{
    enum { N = 200 };
    static int in[N], out;
    int rank;
    MPI_Request r[N], next;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 50; i++)
        r[i] = receive(&in[i], 1 - rank, i);
    for (int i = 0; i < 50; i++)
        MPI_Send(&out, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    MPI_Waitall(50, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 40; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &next);
        r[i] = next;
    }
    for (int i = 0; i < 40; i++)
        MPI_Send(&out, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    for (int i = 39; i >= 0; i--)
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
