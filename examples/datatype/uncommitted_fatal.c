/* A column of a matrix is sent before its datatype is committed. MPI ends the program, which is the same error. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    double a[8][8] = {{0}};
    int rank;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
    if (rank == 0)
        MPI_Send(a, 1, column, 1, 0, MPI_COMM_WORLD); /* want error "LOCAL:DATATYPE:NOT_COMMITTED" ranks=0 */
    else
        MPI_Recv(a, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
