/* One thread sends a buffer. Another thread writes beside the buffer, and to the buffer after it has been sent. */
/* run: np=2 flags="--checksums" cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N = 1 << 17 };

static _Atomic int data[N], sending, sent;

static void *count(void *unused)
{
    while (!atomic_load(&sent)) {
        atomic_fetch_add(&data[N - 1], 1);
        atomic_store(&sending, 1);
    }
    data[0] = 1;
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t t;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&t, NULL, count, NULL);
        while (!atomic_load(&sending))
            ;
        MPI_Ssend((void *)data, N - 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        atomic_store(&sent, 1);
        pthread_join(t, NULL);
    } else {
        MPI_Recv((void *)data, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
