/* A fence that ends or begins nothing must be called so by all; and `no_locks` is a promise that all give, or none. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory[4] = {0};
    MPI_Info info;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPRECEDE : 0, win);                   /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" "MPI_MODE_NOPRECEDE" count=1 ranks=0,1 */
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOSUCCEED : MPI_MODE_NOPRECEDE, win);  /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" "MPI_MODE_NOSUCCEED" count=1 ranks=0,1 */
    MPI_Win_fence(MPI_MODE_NOSUCCEED | (rank ? MPI_MODE_NOSTORE : 0), win);
    MPI_Win_free(&win);

    MPI_Info_create(&info);
    if (rank == 1)
        MPI_Info_set(info, "no_locks", "true");
    MPI_Win_create(memory, sizeof memory, sizeof(int), info, MPI_COMM_WORLD, &win); /* want "GLOBAL:COLLECTIVE:WINDOW_MISMATCH" "no_locks" count=1 ranks=0,1 */
    MPI_Win_free(&win);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
