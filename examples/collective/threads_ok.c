/* Two threads of each process, each with its own communicator. The order between their collectives does not matter. */
/* run: np=2 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 50 };

static int sums[2];

static void *reduce(void *comm)
{
    int one = 1, sum;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
        sums[0] += sum;
    }
    return NULL;
}

static void *spread(void *comm)
{
    double value;
    for (int i = 0; i < ROUNDS; i++) {
        value = i;
        MPI_Bcast(&value, 1, MPI_DOUBLE, i % 2, *(MPI_Comm *)comm);
        sums[1] += (int)value;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Comm comm[2];
    pthread_t threads[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    /* Each rank starts its threads in another order. */
    pthread_create(&threads[rank], NULL, rank == 0 ? reduce : spread, &comm[rank]);
    pthread_create(&threads[1 - rank], NULL, rank == 0 ? spread : reduce, &comm[1 - rank]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("rank %d: %d %d\n", rank, sums[0], sums[1]);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Finalize();
    return 0;
}
