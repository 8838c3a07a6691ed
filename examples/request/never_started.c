/* A persistent request is never started, but the program works without it. mpivet only reports a note. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[2] = {0};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(&data[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]); /* want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Recv_init(&data[1], 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Start(&r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Finalize();
    return 0;
}
