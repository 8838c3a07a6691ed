/* In strict mode, a collective whose processes do not agree returns an error to the program. The broadcast enters MPI
 * on none of the processes, and all of them continue after it. */
/* run: np=3 flags="--strict" status=3 */
#include <mpi.h>
#include <stdio.h>

static void on_error(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    (void)comm;
    MPI_Error_string(*code, text, &length);
    fprintf(stderr, "%s\n", text); /* mpivet: GLOBAL:COLLECTIVE:ROOT_MISMATCH: and what is wrong */
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (MPI_Bcast(&value, 1, MPI_INT, rank / 2, MPI_COMM_WORLD) != MPI_SUCCESS) /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" ranks=0,1,2 */
        printf("rank %d does without it\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
