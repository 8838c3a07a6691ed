/* Data that do not fit into the buffer are packed, and data whose end an int cannot count. */
/* run: np=1 */
#include <limits.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int position = 0, values[4] = {0};
    char buffer[64]; /* larger than the size that is passed below */
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Pack(values, 3, MPI_INT, buffer, 16, &position, MPI_COMM_WORLD);
    MPI_Pack(values, 2, MPI_INT, buffer, 16, &position, MPI_COMM_WORLD); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "outsize=16, which is too small: the call packs 8 bytes at position 12" */
    position = INT_MAX - 2;
    MPI_Pack(values, 1, MPI_INT, buffer, INT_MAX, &position, MPI_COMM_WORLD);       /* want error "LOCAL:INTEGER:OVERFLOW" "overflows an int" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
