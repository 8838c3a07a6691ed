/* Ranks that a group does not have, and ranks that occur twice in a list. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int ranges[2][3] = {{0, 1, 1}, {1, 1, 1}}, endless[1][3] = {{0, 1, 0}};
    MPI_Group all, some;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (int[2]){1, 2}, &some);  /* want error "LOCAL:MPI:INVALID_ARGUMENT" "ranks.1., which names rank [0-9]+, but the ranks of the group go from 0 to 1" ranks=0,1 */
    MPI_Group_excl(all, 2, (int[2]){1, 1}, &some);  /* want error "LOCAL:MPI:INVALID_ARGUMENT" "ranks.1., which names rank [0-9]+ a second time" */
    MPI_Group_range_incl(all, 2, ranges, &some);    /* want error "LOCAL:MPI:INVALID_ARGUMENT" "ranges.1., which names rank [0-9]+, as another range does" */
    MPI_Group_range_excl(all, 1, endless, &some);   /* want error "LOCAL:MPI:INVALID_ARGUMENT" "a stride of 0" */
    MPI_Group_incl(all, -1, NULL, &some);           /* want error "LOCAL:MPI:INVALID_ARGUMENT" "n=-1, which is negative" */
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
