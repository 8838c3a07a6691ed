/* A buffer that is full to the last byte, and an empty item packed at its end. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int position = 0, size, values[4] = {0}, n;
    char buffer[1024];
    MPI_Init(&argc, &argv);
    MPI_Pack_size(4, MPI_INT, MPI_COMM_WORLD, &size);
    MPI_Pack(values, 4, MPI_INT, buffer, size, &position, MPI_COMM_WORLD);
    MPI_Pack(NULL, 0, MPI_INT, buffer, position, &position, MPI_COMM_WORLD);
    n = position;
    position = 0;
    MPI_Unpack(buffer, n, &position, values, 4, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
