/* Rank 0 makes an error for which MPI_ERRORS_ARE_FATAL ends the program. argv: thread level, kind of error. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int level, rank, data[4] = {0};
    MPI_Init_thread(&argc, &argv, strcmp(argv[1], "multiple") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm dup, split;
    MPI_Win win;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(dup, 0, rank, &split);
    MPI_Win_create(data, sizeof data, sizeof data[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    const char *what = argv[2];
    if (!strcmp(what, "truncated") && rank == 1)
        MPI_Send(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        if (!strcmp(what, "send"))
            MPI_Send(data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
        if (!strcmp(what, "dup"))
            MPI_Send(data, 1, MPI_INT, 99, 0, dup);
        if (!strcmp(what, "split"))
            MPI_Send(data, 1, MPI_INT, 99, 0, split);
        if (!strcmp(what, "truncated"))
            MPI_Recv(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!strcmp(what, "collective"))
            MPI_Bcast(data, 1, MPI_INT, 99, dup);
        if (!strcmp(what, "query"))
            MPI_Comm_size(MPI_COMM_NULL, data);
        if (!strcmp(what, "window"))
            MPI_Put(data, 1, MPI_INT, 99, 0, 1, MPI_INT, win);
    }
    /* Rank 1 waits here until MPI ends it. */
    MPI_Recv(data, 1, MPI_INT, 1 - rank, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
