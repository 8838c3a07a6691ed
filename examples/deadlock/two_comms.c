/* The same two ranks synchronise on two communicators, in different orders. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm a, b;
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    MPI_Barrier(rank == 0 ? a : b); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Barrier" ranks=0,1 want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" */
    MPI_Barrier(rank == 0 ? b : a);
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
    MPI_Finalize();
    return 0;
}
