/* A thread calls MPI, although only the thread that initialized MPI may do so (MPI_THREAD_FUNNELED). */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>
#include <pthread.h>

static void *worker(void *arg)
{
    MPI_Datatype pair;
    (void)arg;
    MPI_Type_contiguous(2, MPI_INT, &pair); /* want error "LOCAL:MPI:OUT_OF_ORDER" "from another thread than the one that has initialized MPI" count=1 */
    MPI_Type_free(&pair);                   /* want error "LOCAL:MPI:OUT_OF_ORDER" "MPI_THREAD_FUNNELED" */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
