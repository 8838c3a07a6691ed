/* One thread sends a buffer that another one keeps writing to. */
/* run: np=2 flags="--checksums" cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { N = 1 << 17 };

static _Atomic int data[N], sending, sent;

static void *count(void *unused)
{
    while (!atomic_load(&sent)) {
        atomic_fetch_add(&data[N / 2], 1);
        if (atomic_load(&data[N / 2]) > 1000)
            atomic_store(&sending, 1);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided, go = 1;
    pthread_t t;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&t, NULL, count, NULL);
        while (!atomic_load(&sending))
            ;
        MPI_Ssend((void *)data, N, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "changes the send buffer of MPI_Ssend while it is inside the call: .* from byte 262144 .* when MPI_Ssend returns" count=1 ranks=0 */
        atomic_store(&sent, 1);
        pthread_join(t, NULL);
        MPI_Send(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv((void *)data, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
