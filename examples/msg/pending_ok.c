/* Sends that look as if their messages were never received: to MPI_PROC_NULL, freed, buffered, received late, received
 * after a matched probe, or perhaps received by a request that was cancelled and freed. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x = 0, y[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int peer = 1 - rank;
    MPI_Request r, r2;
    MPI_Status status;
    MPI_Message message;
    int size = 1000 + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(size);
    MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Send(&x, 0, MPI_INT, peer, 1, MPI_COMM_WORLD);
    MPI_Isend(&x, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    MPI_Buffer_attach(buffer, size);
    MPI_Bsend(&x, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
    MPI_Send(&x, 1, MPI_INT, peer, 4, MPI_COMM_WORLD);
    MPI_Send(&x, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&y[0], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r);
    MPI_Irecv(&y[1], 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &r2);
    MPI_Mprobe(peer, 4, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&y[2], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    MPI_Recv(&y[3], 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r2, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &size);

    /* A receive that is cancelled and freed may have got the message. */
    MPI_Irecv(&y[1], 1, MPI_INT, peer, 7, MPI_COMM_WORLD, &r);
    MPI_Send(&x, 1, MPI_INT, peer, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&r);
    MPI_Request_free(&r);

    /* On a communicator that is freed before its receive completes. */
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Irecv(&y[2], 1, MPI_INT, MPI_ANY_SOURCE, 0, dup, &r);
    MPI_Send(&x, 1, MPI_INT, peer, 0, dup);
    MPI_Comm_free(&dup);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    free(buffer);
    return 0;
}
