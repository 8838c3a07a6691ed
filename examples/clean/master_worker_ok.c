/* A master gives work to each worker that asks for it. It uses wildcards, MPI_Waitsome and a stop message. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

enum { WORK = 1, STOP = 2, RESULT = 3, TASKS = 200 };

static long master(int workers)
{
    int next = 0, results[16], done = 0, count, indices[16];
    long sum = 0;
    MPI_Request r[16];
    MPI_Status statuses[16];
    for (int w = 0; w < workers; w++) {
        MPI_Send(&next, 1, MPI_INT, w + 1, WORK, MPI_COMM_WORLD);
        next++;
        MPI_Irecv(&results[w], 1, MPI_INT, w + 1, RESULT, MPI_COMM_WORLD, &r[w]);
    }
    while (done < TASKS) {
        MPI_Waitsome(workers, r, &count, indices, statuses);
        for (int i = 0; i < count; i++) {
            int w = indices[i];
            sum += results[w];
            done++;
            if (next < TASKS) {
                MPI_Send(&next, 1, MPI_INT, statuses[i].MPI_SOURCE, WORK, MPI_COMM_WORLD);
                next++;
                MPI_Irecv(&results[w], 1, MPI_INT, w + 1, RESULT, MPI_COMM_WORLD, &r[w]);
            } else {
                MPI_Send(NULL, 0, MPI_BYTE, w + 1, STOP, MPI_COMM_WORLD);
            }
        }
    }
    return sum;
}

static void worker(void)
{
    int task, result;
    MPI_Status status;
    for (;;) {
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        result = task * 2;
        MPI_Send(&result, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("%ld\n", master(size - 1));
    else
        worker();
    MPI_Finalize();
    return 0;
}
