/* All ways to learn that an operation is complete. After that its buffer is used again. Some
 * requests are freed instead of completed. */
/* run: np=2 */
#include <mpi.h>

enum { N = 8 };

int main(int argc, char **argv)
{
    int rank, in[N], out[N] = {0}, i, n, flag, indices[N], token = 0;
    MPI_Request r[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 10; round++) {
        /* Each completed receive is started again. */
        for (i = 0; i < N; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[i]);
        for (i = 0; i < N; i++)
            MPI_Send(&out[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        for (int k = 0; k < N; k++) {
            MPI_Waitany(N, r, &i, MPI_STATUS_IGNORE);
            MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[i]);
            MPI_Send(&out[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        }
        for (int left = N; left > 0; left -= n) {
            MPI_Waitsome(N, r, &n, indices, MPI_STATUSES_IGNORE);
            for (i = 0; i < n; i++)
                MPI_Sendrecv(&out[0], 1, MPI_INT, rank, 1, &in[indices[i]], 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        }
        /* With some libraries all small sends have the same handle. The variables are swapped. */
        for (i = 0; i < N; i++)
            MPI_Isend(&out[i], 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &r[i]);
        for (i = 0; i < N; i++)
            MPI_Recv(&in[i], 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (i = 0; i < N / 2; i++) {
            MPI_Request swap = r[i];
            r[i] = r[N - 1 - i];
            r[N - 1 - i] = swap;
        }
        for (i = 0; i < N; i++) {
            MPI_Wait(&r[i], MPI_STATUS_IGNORE);
            MPI_Sendrecv(&in[0], 1, MPI_INT, rank, 1, &out[N - 1 - i], 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        /* The program knows that the receive is complete before it completes it. */
        MPI_Irecv(in, N, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &r[0]);
        MPI_Send(out, N, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
        for (flag = 0; !flag;)
            MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
        MPI_Bcast(in, N, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        /* A freed send is complete when the answer to its message arrives. */
        MPI_Isend(out, N, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, &r[0]);
        MPI_Request_free(&r[0]);
        MPI_Recv(in, N, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&token, 1, MPI_INT, 1 - rank, 5, &n, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(out, N, MPI_INT, 1 - rank, 5, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* A cancelled receive. */
        MPI_Irecv(in, N, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &r[0]);
        MPI_Cancel(&r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Bcast(in, N, MPI_INT, 0, MPI_COMM_WORLD);
        /* A matched probe and its receive. */
        if (rank == 0) {
            MPI_Message m;
            MPI_Mprobe(1, 7, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
            MPI_Imrecv(in, N, MPI_INT, &m, &r[0]);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
            MPI_Mprobe(1, 7, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
            MPI_Mrecv(in, N, MPI_INT, &m, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(out, N, MPI_INT, 0, 7, MPI_COMM_WORLD);
            MPI_Send(out, N, MPI_INT, 0, 7, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
