/* The program queries groups and does not free them: some of them never, another one once instead of twice. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int zero = 0, a = 0;
    MPI_Comm dup;
    MPI_Win win;
    MPI_Group all, again, first, nobody, late, window;
    MPI_Init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &all); /* want "LOCAL:GROUP:NOT_FREED" "1 group made by MPI_Comm_group is never freed" */
    MPI_Comm_group(MPI_COMM_WORLD, &again);
    MPI_Group_incl(all, 1, &zero, &first); /* want "LOCAL:GROUP:NOT_FREED" "MPI_Group_incl" */
    MPI_Group_incl(all, 0, NULL, &nobody);
    MPI_Group_free(&again);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_group(dup, &late); /* want "LOCAL:GROUP:NOT_FREED" */
    MPI_Comm_free(&dup);
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &window); /* want "LOCAL:GROUP:NOT_FREED" */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
