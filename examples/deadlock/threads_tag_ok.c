/* Two threads of each rank exchange many messages at the same time. Each thread has its own communicator, and both
 * threads also use MPI_COMM_WORLD, with different tags. */
/* run: np=2 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 100

static int rank;
static MPI_Comm comms[2];
static long sums[2];

static void *worker(void *arg)
{
    int me = (int)(long)arg, value;
    double d;
    for (int i = 0; i < ROUNDS; i++) {
        int out = i * (me + 1);
        double x = i;
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 0, &value, 1, MPI_INT, 1 - rank, 0, comms[me], MPI_STATUS_IGNORE);
        sums[me] += value;
        MPI_Allreduce(&value, &out, 1, MPI_INT, MPI_MAX, comms[me]);
        if (me == 0)
            MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 10, &value, 1, MPI_INT, 1 - rank, 10, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        else
            MPI_Sendrecv(&x, 1, MPI_DOUBLE, 1 - rank, 11, &d, 1, MPI_DOUBLE, 1 - rank, 11, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    pthread_create(&thread, NULL, worker, (void *)1L);
    worker((void *)0L);
    pthread_join(thread, NULL);
    printf("rank %d: %s, %ld %ld\n", rank, provided == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE" : "less", sums[0],
           sums[1]);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
