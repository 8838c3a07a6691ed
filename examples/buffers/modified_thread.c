/* One thread sends a buffer that another thread keeps writing to. The receiver sees the number of writes in shared
 * memory, and receives only after some more writes. */
/* run: np=2 flags="--checksums" cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N = 1 << 17 };

static _Atomic int data[N], sent;
static _Atomic int *written; /* number of writes */

static void *keep_writing(void *unused)
{
    while (!atomic_load(&sent)) {
        atomic_fetch_add(&data[N / 2], 1);
        atomic_fetch_add(written, 1);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided, unit;
    pthread_t t;
    MPI_Win w;
    MPI_Aint size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof *written, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &written, &w);
    MPI_Win_shared_query(w, 0, &size, &unit, &written);
    if (rank == 0) {
        pthread_create(&t, NULL, keep_writing, NULL);
        MPI_Ssend((void *)data, N, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "The send buffer of MPI_Ssend was changed during the call: some of its 524288 bytes are different, the first" count=1 ranks=0 */
        atomic_store(&sent, 1);
        pthread_join(t, NULL);
    } else {
        MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int before = atomic_load(written); atomic_load(written) < before + 2;)
            ;
        MPI_Recv((void *)data, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
