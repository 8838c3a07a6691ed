/* Negative counts, as they result from an integer overflow. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int flag, n = 3 * 1000 * 1000, values[4] = {0};
    MPI_Request request, none[1] = {MPI_REQUEST_NULL};
    n = (int)((unsigned)n * 1000u);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Send(values, n, MPI_INT, 0, 0, MPI_COMM_WORLD);             /* want error "LOCAL:MPI:INVALID_ARGUMENT" "count=-1294967296, which is negative" */
    MPI_Irecv(values, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "count=-1" */
    MPI_Testall(-1, none, &flag, MPI_STATUSES_IGNORE);              /* want error "LOCAL:MPI:INVALID_ARGUMENT" "count=-1" */
    MPI_Bcast(values, -1, MPI_INT, 0, MPI_COMM_WORLD);              /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "count=-1" */
    MPI_Finalize();
    return 0;
}
