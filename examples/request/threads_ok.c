/* Requests pass between threads: one thread starts them, another thread completes, restarts or frees them. */
/* run: np=2 cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>

enum { ROUNDS = 20 };
static int rank, in[2], out;
static MPI_Request begun, repeated, answer;

static void *completes(void *unused)
{
    MPI_Wait(&begun, MPI_STATUS_IGNORE);
    MPI_Wait(&repeated, MPI_STATUS_IGNORE);
    MPI_Start(&repeated);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &answer);
    return unused;
}

static void *frees(void *unused)
{
    MPI_Request_free(&repeated);
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Recv_init(&in[1], 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &repeated);
        MPI_Start(&repeated);
        MPI_Irecv(&in[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &begun);
        pthread_create(&thread, NULL, completes, NULL);
        MPI_Send(&out, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Ssend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        pthread_join(thread, NULL);
        MPI_Wait(&answer, MPI_STATUS_IGNORE);
        MPI_Wait(&repeated, MPI_STATUS_IGNORE);
        pthread_create(&thread, NULL, frees, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
