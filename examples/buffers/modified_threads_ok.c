/* Two threads of each process send small messages from their own buffers. They change a buffer when its send is
 * complete. With some MPI libraries all these requests have the same handle. */
/* run: np=2 cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 3000 };

static int rank;

static void *exchange(void *arg)
{
    const int tag = *(int *)arg;
    int data[8] = {0}, in[8];
    MPI_Request r;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Isend(data, 8, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &r);
        if (i % 3)
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        else
            for (int done = 0; !done;)
                MPI_Test(&r, &done, MPI_STATUS_IGNORE);
        for (int k = 0; k < 8; k++)
            data[k]++;
        MPI_Recv(in, 8, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, tags[2] = {0, 1};
    pthread_t other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&other, NULL, exchange, &tags[1]);
    exchange(&tags[0]);
    pthread_join(other, NULL);
    if (rank == 0)
        puts("fine");
    MPI_Finalize();
    return 0;
}
