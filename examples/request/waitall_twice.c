/* One request occurs twice in an array. The second time, it is already complete and gone. */
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
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    r[1] = rank == 0 ? r[0] : MPI_REQUEST_NULL;
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "more than once" ranks=0 may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
