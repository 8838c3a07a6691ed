/* A process that MPI_Comm_split has left out still uses the communicator. It also frees MPI_COMM_NULL. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Comm evens;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, 0, &evens);
    MPI_Barrier(evens);                          /* want error "LOCAL:MPI:INVALID_ARGUMENT" "comm=MPI_COMM_NULL, which is not a communicator" ranks=1 */
    MPI_Send(&value, 0, MPI_INT, MPI_PROC_NULL, 0, evens); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "comm=MPI_COMM_NULL" ranks=1 */
    MPI_Comm_free(&evens);                       /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which has been freed already, or was never created" ranks=1 */
    MPI_Finalize();
    return 0;
}
