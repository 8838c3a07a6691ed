/* One-sided epochs with a part of the window's group, with the whole group and with an empty group. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory;
    MPI_Group all, other;
    MPI_Comm again;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &again);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, again, &memory, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[1]){1 - rank}, &other);
    MPI_Win_post(other, 0, win);
    MPI_Win_start(other, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Win_post(all, 0, win);
    MPI_Win_start(all, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Comm_free(&again);
    MPI_Finalize();
    return 0;
}
