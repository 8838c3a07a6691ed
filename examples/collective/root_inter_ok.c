/* On an inter-communicator, the root passes MPI_ROOT, its group passes MPI_PROC_NULL, and the other group passes the
 * rank of the root. These are three different values, as the standard requires. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value, root, sum = -1;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
    value = rank;
    if (rank < 2)
        root = rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    else
        root = 1;
    MPI_Bcast(&value, 1, MPI_INT, root, inter);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, inter);
    printf("rank %d: %d %d\n", rank, value, sum);
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
