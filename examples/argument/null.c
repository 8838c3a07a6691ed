/* Null pointers as buffers with data, and as arrays with elements. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);                                                    /* want error "LOCAL:MPI:INVALID_ARGUMENT" "[*]buf=NULL, which is a null pointer though there are data" */
    MPI_Irecv(NULL, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);                                      /* want error "LOCAL:MPI:INVALID_ARGUMENT" "[*]buf=NULL" */
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* want error "LOCAL:MPI:INVALID_ARGUMENT" "[*]recvbuf=NULL" */
    MPI_Allreduce(&value, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                                    /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "recvbuf=NULL" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
