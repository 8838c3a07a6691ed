/* Rank 0 waits for a request that the program itself completes late. mpivet cannot know that this will happen. */
/* run: np=2 flags="--no-progress=1s" cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static MPI_Request request;

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *work(void *unused)
{
    sleep(4);
    MPI_Grequest_complete(request);
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_t thread;
        MPI_Grequest_start(query, nothing, cancel, NULL, &request);
        MPI_Request waited = request;
        pthread_create(&thread, NULL, work, NULL);
        MPI_Wait(&waited, MPI_STATUS_IGNORE); /* want warning "GLOBAL:DEADLOCK:NO_PROGRESS" "Rank 0 has been in MPI_Wait" ranks=0,1 */
        pthread_join(thread, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* want warning "GLOBAL:DEADLOCK:NO_PROGRESS" "Rank 1 has been in MPI_Barrier" */
    MPI_Finalize();
    return 0;
}
