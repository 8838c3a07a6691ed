/* Lists of ranks in any order, empty lists, and ranges with a negative stride. */
/* run: np=4 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int ranges[2][3] = {{3, 0, -2}, {0, 0, 5}};
    MPI_Group all, some;
    MPI_Init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 3, (int[3]){3, 0, 2}, &some);
    MPI_Group_free(&some);
    MPI_Group_incl(all, 0, NULL, &some);
    MPI_Group_excl(some, 0, NULL, &some);
    MPI_Group_excl(all, 4, (int[4]){3, 0, 2, 1}, &some);
    MPI_Group_range_incl(all, 2, ranges, &some);
    MPI_Group_free(&some);
    MPI_Group_range_excl(all, 0, NULL, &some);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
