/* Arguments that may differ between the processes of a window: base, size, displacement unit, info, and the assertions
 * about stores by the process itself (MPI_MODE_NOSTORE) and puts by others (MPI_MODE_NOPUT). */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 7, memory[8] = {0}, *allocated;
    MPI_Info info;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    if (rank == 1)
        MPI_Info_set(info, "no_locks", "true");
    MPI_Win_create(rank == 0 ? NULL : memory, rank == 0 ? 0 : sizeof memory, rank == 0 ? 1 : 4, info, MPI_COMM_WORLD,
                   &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank == 0 ? MPI_MODE_NOPUT : 0), win);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 3, 1, MPI_INT, win);
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOSTORE : 0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPUT | (rank == 1 ? MPI_MODE_NOSTORE : 0), win);
    printf("rank %d: %d\n", rank, memory[3]);
    MPI_Win_free(&win);
    MPI_Win_allocate(64 * (rank + 1), 1 + rank, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
