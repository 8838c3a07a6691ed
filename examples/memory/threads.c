/* A thread receives into what another one, which waits in MPI, is to receive into. */
/* run: np=1 stdout=any cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>

static int data[8], out[8];

static void *other(void *none)
{
    (void)none;
    MPI_Recv(data, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" */
    return 0;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t t;
    MPI_Request r;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Irecv(data + 4, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
    pthread_create(&t, 0, other, 0);
    MPI_Send(out, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
    pthread_join(t, 0);
    MPI_Send(out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
