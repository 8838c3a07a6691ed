/* Persistent requests are started in each round, by MPI_Start or MPI_Startall, so that no rank waits forever. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, out, in = 0;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    if (rank == 0) {
        MPI_Send_init(&out, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
        for (int i = 0; i < 3; i++) {
            if (i == 1)
                MPI_Startall(2, r);
            else
                for (int k = 0; k < 2; k++)
                    MPI_Start(&r[k]);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        }
        for (int k = 0; k < 2; k++)
            MPI_Request_free(&r[k]);
    } else {
        for (int i = 0; i < 3; i++) {
            MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Ssend(&out, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
