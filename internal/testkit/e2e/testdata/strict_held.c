/* Rank 0 reports that it enters a collective. Rank 1 enters it when a file exists. Usage: strict_held DIRECTORY. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void touch(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    int rank;
    char path[4096];
    const char *dir = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/go", dir);
    touch(dir, rank == 0 ? "started.0" : "started.1");
    while (rank == 1 && access(path, F_OK))
        usleep(10000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    touch(dir, rank == 0 ? "finished.0" : "finished.1");
    MPI_Finalize();
    return 0;
}
