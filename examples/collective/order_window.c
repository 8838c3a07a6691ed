/* Windows and files have their own collectives. The ranks call a fence and a barrier in different orders. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" ranks=0,1 may "GLOBAL:DEADLOCK:HARD" */
        MPI_Win_fence(0, win); /* may "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Win_fence(0, win); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "MPI_Win_fence" may "GLOBAL:DEADLOCK:HARD" */
        MPI_Barrier(MPI_COMM_WORLD); /* may "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
