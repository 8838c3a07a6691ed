/* One thread is in MPI, and another thread crashes. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static volatile int *nowhere;

static void *crash(void *arg)
{
    (void)arg;
    usleep(200000);
    *nowhere = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, value, provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        pthread_create(&thread, NULL, crash, NULL);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
