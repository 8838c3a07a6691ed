/* Each thread has its own communicator, so the order between the threads does not matter. */
/* run: np=2 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int rank;
static MPI_Comm comms[3];

static void *worker(void *arg)
{
    int number = *(int *)arg, value = 0, sum = 0;
    if (number != rank)
        usleep(100000); /* the threads of rank 1 run in another order than those of rank 0 */
    for (int i = 0; i < 20; i++) {
        MPI_Bcast(&value, 1, MPI_INT, i % 2, comms[number]);
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comms[number]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[3] = {0, 1, 2};
    pthread_t threads[3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&comms[i]);
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
