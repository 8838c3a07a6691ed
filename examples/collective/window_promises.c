/* Info keys with a promise about all processes of a window: all must pass them, and the promises must be true. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory[4] = {0};
    MPI_Info size, unit, none;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&size);
    MPI_Info_set(size, "same_size", "true");
    MPI_Info_create(&unit);
    MPI_Info_set(unit, "same_disp_unit", "true");
    MPI_Info_create(&none);
    MPI_Win_create(memory, rank ? 8 : 16, 4, size, MPI_COMM_WORLD, &win);               /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" "size=8" count=1 ranks=0,1 */
    MPI_Win_free(&win);
    MPI_Win_create(memory, 16, 4, rank ? none : unit, MPI_COMM_WORLD, &win);            /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" count=1 ranks=0,1 */
    MPI_Win_free(&win);
    MPI_Info_free(&none);
    MPI_Info_free(&unit);
    MPI_Info_free(&size);
    MPI_Finalize();
    return 0;
}
