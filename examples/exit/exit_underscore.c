/* _exit() runs no exit handlers, so a handler that calls MPI_Finalize does not help. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static void finish(void)
{
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    atexit(finish);
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0); /* want "LOCAL:EXIT:BEFORE_MPI_FINALIZE" "_exit" */
}
