/* A thread frees a communicator. After the thread has ended, the program uses a copy of the handle. */
/* run: np=1 cflags="-pthread" */
#include <mpi.h>
#include <pthread.h>

static MPI_Comm comm;

static void *free_it(void *copy)
{
    MPI_Comm_free(copy);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm copy = comm;
    pthread_create(&thread, NULL, free_it, &copy);
    pthread_join(thread, NULL);
    MPI_Barrier(comm); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which was freed before" count=1 may "LOCAL:EXIT:SIGNAL" may "LOCAL:EXIT:BEFORE_MPI_FINALIZE" */
    MPI_Finalize();
    return 0;
}
