/* MPI_Init promises MPI_THREAD_SINGLE, but a second thread calls MPI. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>
#include <pthread.h>

static void *worker(void *arg)
{
    MPI_Datatype pair;
    (void)arg;
    MPI_Type_contiguous(2, MPI_INT, &pair); /* want error "LOCAL:MPI:OUT_OF_ORDER" "MPI_THREAD_SINGLE" may "LOCAL:DATATYPE:NOT_FREED" */
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    MPI_Init(&argc, &argv);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
