/* The program uses a copy of a communicator's handle after it has freed the communicator. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = comm;
    MPI_Comm_free(&comm);
    MPI_Barrier(copy); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which was freed before" count=1 may "LOCAL:EXIT:SIGNAL" may "LOCAL:EXIT:BEFORE_MPI_FINALIZE" */
    MPI_Finalize();
    return 0;
}
