/* Two threads are in MPI at the same time: a user-defined operation of one waits until the other thread returns. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>
#include <pthread.h>

static pthread_barrier_t inside, back;

static void wait_for_other(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void)in, (void)out, (void)n, (void)type;
    pthread_barrier_wait(&inside);
    pthread_barrier_wait(&back);
}

static void *worker(void *arg)
{
    MPI_Comm *copy = arg;
    pthread_barrier_wait(&inside);
    MPI_Comm_dup(MPI_COMM_SELF, copy); /* want error "LOCAL:MPI:OUT_OF_ORDER" "while another thread is in MPI" count=1 */
    pthread_barrier_wait(&back);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, a = 1, b = 2;
    pthread_t thread;
    MPI_Op op;
    MPI_Comm copy;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Op_create(wait_for_other, 1, &op);
    pthread_barrier_init(&inside, NULL, 2);
    pthread_barrier_init(&back, NULL, 2);
    pthread_create(&thread, NULL, worker, &copy);
    MPI_Reduce_local(&a, &b, 1, MPI_INT, op);
    pthread_join(thread, NULL);
    MPI_Comm_free(&copy);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
