/* One thread of each rank has its own communicator. The other thread has two communicators, and
 * rank 1 uses them in the opposite order. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank;
static MPI_Comm a, b, c;

static void *worker(void *arg)
{
    int value = 0;
    (void)arg;
    for (int i = 0; i < 20; i++)
        MPI_Bcast(&value, 1, MPI_INT, i % 2, c);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, value = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    pthread_create(&thread, NULL, worker, NULL);
    if (rank == 0) {
        MPI_Bcast(&value, 1, MPI_INT, 0, a); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" ranks=0,1 */
        MPI_Bcast(&value, 1, MPI_INT, 1, b); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Bcast(&value, 1, MPI_INT, 1, b); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
        MPI_Bcast(&value, 1, MPI_INT, 0, a); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    }
    pthread_join(thread, NULL);
    printf("rank %d: %d\n", rank, value);
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}
