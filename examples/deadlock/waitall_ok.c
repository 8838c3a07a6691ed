/* MPI_Waitall for several requests, some of which are null, inactive or already complete. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out = rank, in[2] = {-1, -1};
    int peer = 1 - rank;
    MPI_Request request[5];
    MPI_Irecv(&in[0], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request[0]);
    request[1] = MPI_REQUEST_NULL;
    MPI_Recv_init(&in[1], 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &request[2]);
    MPI_Start(&request[2]);
    MPI_Wait(&request[2], MPI_STATUS_IGNORE); /* from now on, it is inactive */
    MPI_Isend(&out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Irecv(&in[1], 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[4]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(5, request, MPI_STATUSES_IGNORE);
    MPI_Wait(&request[2], MPI_STATUS_IGNORE); /* inactive, so it returns at once */
    MPI_Request_free(&request[2]);
    MPI_Waitall(5, request, MPI_STATUSES_IGNORE); /* now all are null */
    printf("rank %d got %d\n", rank, in[0]);
    MPI_Finalize();
    return 0;
}
