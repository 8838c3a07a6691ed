/* Two threads call collectives on one communicator at the same time. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>
#include <pthread.h>

enum { N = 1 << 18 }; /* large enough to take some time */
static pthread_barrier_t gate;

static void *worker(void *arg)
{
    int *from = arg, *to = from + N;
    for (int i = 0; i < 100; i++) {
        pthread_barrier_wait(&gate);
        MPI_Allreduce(from, to, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* want error "LOCAL:MPI:OUT_OF_ORDER" "while another thread of the process is in a collective operation on the same communicator" may "GLOBAL:DEADLOCK:HARD" */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static int data[4 * N];
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_barrier_init(&gate, NULL, 2);
    pthread_create(&thread, NULL, worker, data);
    worker(data + 2 * N);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&gate);
    MPI_Finalize();
    return 0;
}
