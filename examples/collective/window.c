/* Window constructors and fences are collective over the group of the window. A fence does not match MPI_Win_free. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory[4] = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Win_fence(0, win); /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" "MPI_Win_fence" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Win_free(&win); /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
