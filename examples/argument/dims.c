/* Grids that cannot have the required number of processes. Some libraries fail, others return wrong dimensions. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int fixed[2] = {3, 0}, negative[2] = {-2, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Dims_create(8, 2, fixed);    /* want error "LOCAL:MPI:INVALID_ARGUMENT" "nnodes=8, which is not a multiple of 3, the product" ranks=0 */
    MPI_Dims_create(8, 2, negative); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "dims.0., which is negative" */
    MPI_Finalize();
    return 0;
}
