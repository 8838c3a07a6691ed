/* A message is received into a buffer from which another message is still being sent. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    static double data[100000];
    int rank;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(data, 100000, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(data, 100000, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &r[1]); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Irecv writes to memory that MPI_Isend.* is still reading" ranks=0,1 */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
