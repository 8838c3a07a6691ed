/* Each of 2 ranks has two threads, which call collectives on their own communicators. One thread of rank 1 leaves out
 * the last one. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static MPI_Comm comms[2];
static int rank;

static void *meet(void *arg)
{
    int i = *(int *)arg;
    for (int k = 0; k < 500; k++)
        MPI_Barrier(comms[i]);
    if (rank == 1)
        for (;;)
            pause();
    MPI_Barrier(comms[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    static int number[2] = {0, 1};
    int provided;
    pthread_t other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_set_name(comms[0], "left");
    MPI_Comm_set_name(comms[1], "right");
    pthread_create(&other, NULL, meet, &number[1]);
    meet(&number[0]);
    return 0;
}
