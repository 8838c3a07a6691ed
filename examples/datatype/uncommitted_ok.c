/* Uncommitted datatypes may be queried and used in other datatypes. A copy of a committed one is committed. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[64] = {0}, b[64] = {0}, rank, size, position = 0, pair[2] = {1, 2};
    char packed[512];
    MPI_Aint lb, extent, at[2] = {0, 64};
    MPI_Datatype inner, t, copy, copies[2], all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_contiguous(3, inner, &t);
    MPI_Type_size(inner, &size);
    MPI_Type_get_extent(inner, &lb, &extent);
    MPI_Type_set_name(inner, "inner");
    MPI_Type_commit(&t);
    MPI_Type_dup(t, &copy);
    copies[0] = inner;
    copies[1] = copy;
    MPI_Type_create_struct(2, pair, at, copies, &all);
    MPI_Sendrecv(a, 1, t, 1 - rank, 0, b, 1, copy, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pack(a, 1, copy, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Type_free(&all);
    MPI_Type_free(&copy);
    MPI_Type_free(&t);
    MPI_Type_free(&inner);
    MPI_Finalize();
    return 0;
}
