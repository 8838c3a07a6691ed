/* Each process has two threads. Each thread calls collectives on its own communicator, at its own pace. In the end, one
 * of them is wrong. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank;
static MPI_Comm comm[2];
static int wrong[2];

static void *work(void *arg)
{
    int me = (int)(size_t)arg, x = 0, y = 0;
    for (int i = 0; i < 200; i++) {
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm[me]);
        MPI_Bcast(&x, 1, MPI_INT, i % 2, comm[me]);
    }
    wrong[me] = MPI_Bcast(&x, 1, MPI_INT, me == 1 ? rank : 0, comm[me]) != MPI_SUCCESS;
    MPI_Barrier(comm[me]);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        MPI_Comm_set_errhandler(comm[i], MPI_ERRORS_RETURN);
    }
    pthread_create(&other, NULL, work, (void *)1);
    work(NULL);
    pthread_join(other, NULL);
    printf("rank %d: %d %d\n", rank, wrong[0], wrong[1]);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
