/* One half of a program of two executables: receives an int. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int i;
    MPI_Init(&argc, &argv);
    MPI_Recv(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
