/* A handle of another kind: a datatype instead of a communicator. The cast prevents a compiler warning. */
/* run: np=1 */
#include <mpi.h>
#include <stdint.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Barrier((MPI_Comm)(intptr_t)MPI_INT); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which is a datatype, not a communicator" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
