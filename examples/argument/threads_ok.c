/* Many threads, each with its own communicator and requests. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>
#include <pthread.h>

static int rank;

static void *worker(void *arg)
{
    MPI_Comm comm = *(MPI_Comm *)arg;
    int out = rank, in, sum;
    MPI_Request r[2];
    for (int i = 0; i < 50; i++) {
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, i, comm, &r[0]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, i, comm, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Barrier(comm);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Comm comm[3];
    pthread_t thread[3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, worker, &comm[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
