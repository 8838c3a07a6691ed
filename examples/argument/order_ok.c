/* Functions that the program may call at any time. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void ask(const char *when)
{
    int initialized, finalized, version, subversion, len;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &len);
    printf("%s: %d %d\n", when, initialized, finalized);
}

static void at_exit(void) { ask("at exit"); }

int main(int argc, char **argv)
{
    int provided;
    atexit(at_exit);
    ask("before");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    ask("between");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    ask("after");
    return 0;
}
