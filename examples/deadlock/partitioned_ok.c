/* Partitions are marked ready late, in any order, by two threads. The receiver divides the message in another way. */
/* run: np=2 mpi=mpich cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { PARTITIONS = 4 };
static MPI_Request request;

static void *second(void *unused)
{
    MPI_Pready_list(1, (int[]){3}, request);
    sleep(1);
    MPI_Pready(2, request);
    return unused;
}

int main(int argc, char **argv)
{
    int rank, level, data[PARTITIONS] = {0};
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTITIONS, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, PARTITIONS / 2, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        if (rank == 0) {
            pthread_create(&thread, NULL, second, NULL);
            MPI_Pready_range(0, 1, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 0)
            pthread_join(thread, NULL);
    }
    MPI_Request_free(&request);
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
