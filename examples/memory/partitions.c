/* A partition is marked ready while a pending receive still uses it. */
/* run: np=2 stdout=any mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0}, more[8], out[2] = {0};
    MPI_Request r[2], in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Psend_init(data, 4, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(more, 4, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Startall(2, r);
    MPI_Irecv(data + 2, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &in);
    MPI_Pready(0, r[0]);
    MPI_Pready(1, r[0]); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Pready reads memory that MPI_Irecv.* is still filling" ranks=0,1 */
    MPI_Send(out, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    MPI_Pready_range(2, 3, r[0]);
    MPI_Bcast(more + 7, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Bcast (reads|writes to) memory that MPI_Precv_init.* is still filling" ranks=0,1 */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Finalize();
    return 0;
}
