/* Strings that are too long or null pointers, and a null pointer as a function. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    char key[MPI_MAX_INFO_KEY + 8];
    MPI_Info info;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = 0;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, "value");               /* want error "LOCAL:MPI:INVALID_ARGUMENT" "is too long: the limit is MPI_MAX_INFO_KEY" */
    MPI_Info_set(info, "key", NULL);                /* want error "LOCAL:MPI:INVALID_ARGUMENT" "value=NULL, which is a null pointer" may "LOCAL:EXIT:SIGNAL" */
    MPI_Info_free(&info);
    MPI_Op_create(NULL, 1, &op);                    /* want error "LOCAL:MPI:INVALID_ARGUMENT" "user_fn=NULL" */
    MPI_Finalize();
    return 0;
}
