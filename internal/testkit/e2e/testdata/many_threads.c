/* Eight threads per rank start, call MPI and end, several times. Each has its own ring. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, GENERATIONS = 5, ROUNDS = 100 };

static int rank;

static void *worker(void *arg)
{
    int tag = (int)(long)arg, value;
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, tag, &value, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int g = 0; g < GENERATIONS; g++) {
        pthread_t threads[THREADS];
        for (long i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, worker, (void *)i);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    printf("rank %d is through\n", rank);
    MPI_Finalize();
    return 0;
}
