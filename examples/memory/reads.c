/* One buffer is sent to two processes, which is allowed since MPI 2.2. */
/* run: np=2 stdout=any env=MPIVET_CHECK=LOCAL:MEMORY:READ_OVERLAP=on */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[8], out[4] = {0};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(out, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out + 3, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[1]); /* want warning "LOCAL:MEMORY:READ_OVERLAP" "since MPI 2.2" ranks=0,1 */
    MPI_Recv(in, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, 4, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
