/* A persistent request is started again before it is complete: alone, and twice in one array. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = 0, out;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    if (rank == 0) {
        MPI_Recv_init(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Start(&r[0]);
        MPI_Start(&r[0]); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "active already" ranks=0 */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        r[1] = r[0];
        MPI_Startall(2, r); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "more than once" ranks=0 */
        MPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Abort(MPI_COMM_WORLD, 7); /* the effect of the error depends on the MPI */
    return 0;
}
