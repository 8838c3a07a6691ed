/* What each rank sends is what all expect of it, in another type of the same signature; and where it expects nothing of
 * itself, what it passes with a count of zero does not matter. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[4], counts[2] = {2, 0}, displs[2] = {0, 2};
    MPI_Datatype pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Allgatherv(from, rank == 0 ? 1 : 0, rank == 0 ? pair : MPI_FLOAT, to, counts, displs, MPI_INT, MPI_COMM_WORLD);
    counts[0] = counts[1] = 2;
    MPI_Allgatherv(from, rank == 0 ? 1 : 2, rank == 0 ? pair : MPI_INT, to, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 7, MPI_FLOAT, to, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
