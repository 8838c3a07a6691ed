/* Info objects that the program made, or that MPI returned. The program does not free them. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int a;
    MPI_Info info, dup, used;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info); /* want "LOCAL:INFO:NOT_FREED" "MPI_Info_create" */
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_dup(info, &dup); /* want "LOCAL:INFO:NOT_FREED" "MPI_Info_dup" */
    MPI_Win_create(&a, sizeof a, 1, info, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 3; i++)
        MPI_Win_get_info(win, &used); /* want "LOCAL:INFO:NOT_FREED" "3 info objects made by MPI_Win_get_info are never freed" count=6 */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
