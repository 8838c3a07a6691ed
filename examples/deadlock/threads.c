/* Each rank has two threads. All four threads receive, and no thread is left to send. */
/* run: np=2 */
#include <mpi.h>
#include <pthread.h>

static int peer;

static void *worker(void *arg)
{
    int value;
    MPI_Comm comm = *(MPI_Comm *)arg;
    MPI_Recv(&value, 1, MPI_INT, peer, 0, comm, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Recv" ranks=0,1 */
    MPI_Send(&value, 1, MPI_INT, peer, 0, comm);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t thread;
    MPI_Comm world = MPI_COMM_WORLD, copy;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    pthread_create(&thread, NULL, worker, &copy);
    worker(&world);
    pthread_join(thread, NULL);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
