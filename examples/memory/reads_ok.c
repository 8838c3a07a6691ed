/* One buffer is sent to all processes. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static double out[20000];
    static double in[3][20000];
    int rank;
    MPI_Request r[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 3; k++) {
            MPI_Isend(out, 20000, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &r[k]);
            MPI_Irecv(in[k], 20000, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &r[3 + k]);
        }
        MPI_Bcast(out, 20000, MPI_DOUBLE, 0, MPI_COMM_SELF);
        MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
