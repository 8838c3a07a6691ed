/* More than a hundred requests are pending at the same time. They are completed in the end, so it is only a note. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    enum { N = 150 };
    int out[N], in[N];
    MPI_Request r[2 * N];
    for (int i = 0; i < N; i++) {
        out[i] = i;
        MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &r[i]); /* want info "LOCAL:REQUEST:NOT_FREED" */
    }
    for (int i = 0; i < N; i++)
        MPI_Isend(&out[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &r[N + i]); /* may info "LOCAL:REQUEST:NOT_FREED" */
    MPI_Waitall(2 * N, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
