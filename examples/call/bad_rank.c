/* A send to a rank that does not exist. The default error handler ends the program. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "MPI_Send" ranks=0 */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
