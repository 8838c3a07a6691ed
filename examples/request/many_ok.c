/* Thousands of requests, but only a few at a time, in reused variables. Two requests may even have the same handle. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    enum { N = 2000, WINDOW = 20 };
    int out[WINDOW], in[WINDOW], index, count, indices[WINDOW];
    MPI_Request r[WINDOW], s[WINDOW];
    for (int i = 0; i < N / WINDOW; i++) {
        for (int k = 0; k < WINDOW; k++) {
            out[k] = k;
            MPI_Irecv(&in[k], 1, MPI_INT, 1 - rank, k, MPI_COMM_WORLD, &r[k]);
        }
        for (int k = 0; k < WINDOW; k++)
            MPI_Isend(&out[k], 1, MPI_INT, 1 - rank, k, MPI_COMM_WORLD, &s[k]);
        for (int k = 0; k < WINDOW; k++)
            MPI_Waitany(WINDOW, r, &index, MPI_STATUS_IGNORE);
        for (int done = 0; done < WINDOW; done += count)
            do
                MPI_Testsome(WINDOW, s, &count, indices, MPI_STATUSES_IGNORE);
            while (count == 0);
        MPI_Testsome(WINDOW, s, &count, indices, MPI_STATUSES_IGNORE);
        if (count != MPI_UNDEFINED) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Finalize();
    return 0;
}
