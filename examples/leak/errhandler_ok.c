/* The program frees error handlers, also those that MPI returns. It keeps only those that objects use to the end. */
/* run: np=2 */
#include <mpi.h>

static void ignore(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void unused(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, before, forever, files;
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before); /* predefined */
    MPI_Comm_create_errhandler(ignore, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Errhandler_free(&mine);
    for (int i = 0; i < 200; i++) {
        MPI_Comm_get_errhandler(dup, &mine);
        MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(dup, mine);
        MPI_Errhandler_free(&mine);
    }
    MPI_Comm_free(&dup);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    MPI_Comm_create_errhandler(ignore, &forever);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, forever);
    MPI_File_create_errhandler(unused, &files);
    MPI_File_set_errhandler(MPI_FILE_NULL, files);
    MPI_Finalize();
    return 0;
}
