/* Every nonblocking collective of MPI 3. Many are pending at the same time, and all waiting functions complete them. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

#define N 3

int main(int argc, char **argv)
{
    int rank, n = 0, index, flag, count, indices[20], counts[N] = {1, 1, 1}, displs[N] = {0, 1, 2};
    int bytes[N] = {0, sizeof(int), 2 * sizeof(int)};
    MPI_Datatype types[N] = {MPI_INT, MPI_INT, MPI_INT};
    int in[20][N], out[20][N];
    MPI_Request r[20];
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < N; j++) {
            in[i][j] = i + j + rank;
            out[i][j] = 0;
        }
    MPI_Ibarrier(MPI_COMM_WORLD, &r[n++]);
    MPI_Ibcast(in[1], 1, MPI_INT, 1, MPI_COMM_WORLD, &r[n++]);
    MPI_Igather(in[2], 1, MPI_INT, out[2], 1, MPI_INT, 2, MPI_COMM_WORLD, &r[n++]);
    MPI_Igatherv(in[3], 1, MPI_INT, out[3], counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &r[n++]);
    MPI_Iscatter(in[4], 1, MPI_INT, out[4], 1, MPI_INT, 0, MPI_COMM_WORLD, &r[n++]);
    MPI_Iscatterv(in[5], counts, displs, MPI_INT, out[5], 1, MPI_INT, 1, MPI_COMM_WORLD, &r[n++]);
    MPI_Iallgather(in[6], 1, MPI_INT, out[6], 1, MPI_INT, MPI_COMM_WORLD, &r[n++]);
    MPI_Iallgatherv(in[7], 1, MPI_INT, out[7], counts, displs, MPI_INT, MPI_COMM_WORLD, &r[n++]);
    MPI_Ialltoall(in[8], 1, MPI_INT, out[8], 1, MPI_INT, MPI_COMM_WORLD, &r[n++]);
    MPI_Ialltoallv(in[9], counts, displs, MPI_INT, out[9], counts, displs, MPI_INT, MPI_COMM_WORLD, &r[n++]);
    MPI_Ialltoallw(in[10], counts, bytes, types, out[10], counts, bytes, types, MPI_COMM_WORLD, &r[n++]);
    MPI_Ireduce(in[11], out[11], N, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &r[n++]);
    MPI_Iallreduce(in[12], out[12], N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[n++]);
    MPI_Ireduce_scatter(in[13], out[13], counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[n++]);
    MPI_Ireduce_scatter_block(in[14], out[14], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[n++]);
    MPI_Iscan(in[15], out[15], N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[n++]);
    MPI_Iexscan(in[16], out[16], N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[n++]);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &r[n++]);

    MPI_Wait(&r[12], MPI_STATUS_IGNORE);
    MPI_Waitany(n, r, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(n, r, &count, indices, MPI_STATUSES_IGNORE);
    do
        MPI_Testall(n, r, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    printf("rank %d: %d %d\n", rank, out[12][0], out[6][2]);
    MPI_Finalize();
    return 0;
}
