/* The same promises, passed by all processes and true. Other properties differ between the processes. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory[4] = {0};
    MPI_Info size, copy, unit;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&size);
    MPI_Info_set(size, "same_size", "true");
    if (rank == 1)
        MPI_Info_set(size, "no_locks", "true");
    MPI_Info_dup(size, &copy);
    MPI_Win_create(memory, 16, rank ? 1 : 4, rank ? size : copy, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Info_delete(copy, "same_size");
    MPI_Win_create(memory, rank ? 16 : 8, 4, rank ? MPI_INFO_NULL : copy, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Info_create(&unit);
    MPI_Info_set(unit, "same_disp_unit", "true");
    MPI_Win_create(memory, rank ? 16 : 8, 4, unit, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Info_free(&unit);
    MPI_Info_free(&copy);
    MPI_Info_free(&size);
    MPI_Finalize();
    return 0;
}
