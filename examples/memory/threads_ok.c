/* Threads use one buffer one after the other. Each starts when the previous operation is complete. */
/* run: np=2 cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>

static int data[8], rank;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument;
    int mine[4] = {0};
    for (int i = 0; i < 200; i++) {
        MPI_Request r;
        MPI_Sendrecv_replace(mine, 4, MPI_INT, 1 - rank, 0, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
        pthread_mutex_lock(&mutex);
        MPI_Irecv(data, 8, MPI_INT, 0, 1, MPI_COMM_SELF, &r);
        MPI_Send(data, 0, MPI_INT, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Bcast(data, 8, MPI_INT, 0, MPI_COMM_SELF);
        MPI_Sendrecv_replace(data, 8, MPI_INT, 0, 2, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t t;
    MPI_Comm comms[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    pthread_create(&t, 0, work, &comms[0]);
    work(&comms[1]);
    pthread_join(t, 0);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
