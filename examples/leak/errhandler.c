/* The program does not free error handlers that no object uses any more, nor one that MPI has returned. */
/* run: np=2 */
#include <mpi.h>

static void ignore(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

int main(int argc, char **argv)
{
    MPI_Errhandler before;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        MPI_Errhandler mine;
        MPI_Comm_create_errhandler(ignore, &mine); /* want "LOCAL:ERRHANDLER:NOT_FREED" "3 error handlers made by MPI_Comm_create_errhandler are never freed" */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before); /* want "LOCAL:ERRHANDLER:NOT_FREED" "MPI_Comm_get_errhandler" count=6 */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    MPI_Finalize();
    return 0;
}
