/* A thread receives into a buffer of another thread's pending receive. The other thread waits in MPI. */
/* run: np=2 stdout=any cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>

static int data[8];

static void *other(void *none)
{
    (void)none;
    MPI_Recv(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" */
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return 0;
}

int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t t;
        MPI_Request r;
        MPI_Irecv(data + 4, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
        pthread_create(&t, 0, other, 0);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        pthread_join(t, 0);
    } else {
        /* Another rank sends: MPICH 4.0.2 sometimes hangs if a thread sends to another thread of its own rank. */
        MPI_Send(data, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
