/* Two threads call collectives on one communicator at the same time. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>
#include <pthread.h>

static pthread_barrier_t gate;

static void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < 300; i++) {
        pthread_barrier_wait(&gate);
        MPI_Barrier(MPI_COMM_WORLD); /* want error "LOCAL:MPI:OUT_OF_ORDER" "while another thread of the process is in a collective operation on the same communicator" may "GLOBAL:DEADLOCK:HARD" */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_barrier_init(&gate, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    worker(NULL);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&gate);
    MPI_Finalize();
    return 0;
}
