/* A rank sends messages to itself, with nonblocking calls on one side, on MPI_COMM_WORLD and MPI_COMM_SELF. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, out = 5, in = 0, again = 0;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(&out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Irecv(&again, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]);
    MPI_Recv(&again, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    printf("rank %d: %d %d\n", rank, in, again);
    MPI_Finalize();
    return 0;
}
