/* Rank 0 polls with all kinds of test functions, one after the other, for messages that come late. */
/* run: np=2 flags="--no-progress=1s" */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, index, n = 0, indices[2], in[2] = {0, 0};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
        while (!flag && n == 0) {
            MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
            if (!flag)
                MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
            if (!flag)
                MPI_Testsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
            if (!flag && n == 0)
                MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
        }
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        printf("rank 0 has %d and %d\n", in[0], in[1]);
    } else {
        sleep(3);
        for (int i = 0; i < 2; i++)
            MPI_Send(&rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
