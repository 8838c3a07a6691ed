/* Calls that are allowed before MPI_Init and after MPI_Finalize. A library checks whether MPI is initialized. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int flag, version, subversion, length, provided = MPI_THREAD_SINGLE, finalized;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    MPI_Finalized(&finalized);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &length);
    printf("%d %d\n", flag, finalized);
    if (!flag)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Initialized(&flag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    MPI_Finalized(&finalized);
    printf("%d %d %s\n", flag, finalized, provided >= MPI_THREAD_FUNNELED ? "enough threads" : "too few threads");
    return 0;
}
