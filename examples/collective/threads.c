/* Two threads with a communicator each. On one of the communicators the ranks do not agree. */
/* run: np=2 */
#include <mpi.h>
#include <pthread.h>

static int rank;

static void *right(void *comm)
{
    int one = 1, sum;
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
    return NULL;
}

static void *wrong(void *comm)
{
    int one = 1, sum;
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, i == 5 && rank == 1 ? MPI_MIN : MPI_SUM, *(MPI_Comm *)comm); /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MIN" count=1 ranks=0,1 */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Comm comm[2];
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    pthread_create(&thread, NULL, right, &comm[0]);
    wrong(&comm[1]);
    pthread_join(thread, NULL);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Finalize();
    return 0;
}
