/* The program names a dimension that the grid does not have. */
/* run: np=1 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int dims[1] = {1}, periods[1] = {0}, left, right;
    MPI_Comm line;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
    MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN);
    MPI_Cart_shift(line, 1, 1, &left, &right); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "direction=1, which is not a dimension of the grid: dimensions go from 0 to 0" */
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
