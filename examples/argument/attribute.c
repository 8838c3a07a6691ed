/* Invalid attributes: one that belongs to MPI itself, invalid keys, and an error handler for another kind of object. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

static void handler(MPI_Win *win, int *code, ...)
{
    (void)win;
    (void)code;
}

int main(int argc, char **argv)
{
    int value = 1, key;
    MPI_Errhandler windows;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value);          /* want error "LOCAL:MPI:INVALID_ARGUMENT" "a predefined attribute" */
    MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value);  /* want error "LOCAL:MPI:INVALID_ARGUMENT" "not an attribute key" */
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);                 /* want error "LOCAL:MPI:INVALID_ARGUMENT" "a key for attributes of datatypes, not of communicators" */
    MPI_Type_free_keyval(&key);
    MPI_Win_create_errhandler(handler, &windows);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, windows);                /* want error "LOCAL:MPI:INVALID_ARGUMENT" "an error handler for windows, not for communicators" */
    MPI_Errhandler_free(&windows);
    MPI_Finalize();
    return 0;
}
