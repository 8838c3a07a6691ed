/* MPI_Pready is for sends that have been started, MPI_Parrived is for receives. */
/* run: np=2 mpi=mpich stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag, data[4] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(data, 2, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Pready(0, request); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "inactive" ranks=0 */
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
    } else {
        MPI_Precv_init(data, 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request); /* want error "LOCAL:REQUEST:ILLEGAL_CALL" "MPI_Precv_init" ranks=1 */
        MPI_Parrived(request, 0, &flag);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
