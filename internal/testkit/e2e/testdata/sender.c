/* One half of a program of two executables: sends a short. */
#include <mpi.h>

int main(int argc, char **argv)
{
    short s = 1;
    MPI_Init(&argc, &argv);
    MPI_Send(&s, 1, MPI_SHORT, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
