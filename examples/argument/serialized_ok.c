/* Two threads call MPI one after the other. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    int value = 1, sum[2];
    (void)arg;
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&turn);
        MPI_Sendrecv(&value, 1, MPI_INT, 0, 7, sum, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    pthread_create(&thread, NULL, worker, NULL);
    worker(NULL);
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
