/* Either all ranks or none must pass MPI_MODE_NOPRECEDE to a fence. The same holds for MPI_MODE_NOSUCCEED. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory[4] = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPRECEDE : 0, win);                   /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" "MPI_MODE_NOPRECEDE" count=1 ranks=0,1 */
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOSUCCEED : MPI_MODE_NOPRECEDE, win);  /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" "MPI_MODE_NOSUCCEED" count=1 ranks=0,1 */
    MPI_Win_fence(MPI_MODE_NOSUCCEED | (rank ? MPI_MODE_NOSTORE : 0), win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
