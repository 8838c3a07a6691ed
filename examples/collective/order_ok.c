/* Ranks that are in two communicators use them in the same order. Ranks in only one communicator may call at any time.
 * A broadcast need not synchronise, so its root may be far ahead of the other ranks. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm left, right; /* ranks 0 and 1; ranks 1 and 2 */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank <= 1 ? 0 : MPI_UNDEFINED, 0, &left);
    MPI_Comm_split(MPI_COMM_WORLD, rank >= 1 ? 0 : MPI_UNDEFINED, 0, &right);
    for (int i = 0; i < 100; i++) {
        if (left != MPI_COMM_NULL) {
            if (rank == 0)
                value = i;
            MPI_Bcast(&value, 1, MPI_INT, 0, left);
        }
        if (right != MPI_COMM_NULL)
            MPI_Bcast(&value, 1, MPI_INT, 0, right);
    }
    printf("rank %d: %d\n", rank, value);
    if (left != MPI_COMM_NULL)
        MPI_Comm_free(&left);
    if (right != MPI_COMM_NULL)
        MPI_Comm_free(&right);
    MPI_Finalize();
    return 0;
}
