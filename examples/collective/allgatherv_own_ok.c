/* Each rank sends what all ranks expect of it, but with another datatype of the same type signature. A rank that sends
 * nothing may pass any datatype with its count of zero. */
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
