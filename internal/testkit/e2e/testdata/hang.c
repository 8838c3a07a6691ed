/* Rank 3 of 4 does not take part in the last collectives. Usage: hang FILE. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, v = 0, memory = 0;
    MPI_Comm half, copy, between;
    MPI_Request q[3];
    MPI_Win win;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10000; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Comm_free(&copy);
    }
    for (int i = 0; i < 50; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Comm_dup(half, &copy);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(half);
    MPI_Bcast(&v, 1, MPI_INT, 0, copy);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &between);
    MPI_Comm_set_name(between, "between");
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 8);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "window");
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
#if MPI_VERSION >= 4
    MPI_Comm kept;
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    MPI_Comm_set_name(kept, "kept");
    MPI_Barrier_init(kept, MPI_INFO_NULL, &q[2]);
#endif
    if (rank == 3)
        for (;;)
            pause();
    MPI_Ibarrier(MPI_COMM_WORLD, &q[0]);
    MPI_Ibarrier(between, &q[1]);
#if MPI_VERSION >= 4
    MPI_Start(&q[2]);
#endif
    MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return 0;
}
