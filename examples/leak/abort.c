/* A program that calls MPI_Abort has many communicators, which it may have forgotten to free. */
/* run: np=2 status=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 150; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* want info "LOCAL:COMM:NOT_FREED" "has 100 communicators" count=2 want info "LOCAL:COMM:NOT_FREED" "The run ended while rank . had 150 communicators" count=2 */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 0;
}
