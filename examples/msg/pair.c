/* Pair types are structs of two elements: MPI_2INT and MPI_DOUBLE_INT differ in the first one. The message ends inside
 * a double, so MPICH reports a truncation. This is the same error. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    struct {
        int value, rank;
    } i[2] = {{1, 2}, {3, 4}};
    struct {
        double value;
        int rank;
    } d[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(i, 2, MPI_2INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "Sent: 4×INT\nExpected: 2×\{DOUBLE, INT\}" */
    else
        MPI_Recv(d, 2, MPI_DOUBLE_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    MPI_Finalize();
    return 0;
}
