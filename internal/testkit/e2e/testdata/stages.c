/* Reports by files which stage it has reached, and waits at one of them. Usage: stages DIRECTORY STAGE. STAGE is init,
 * between, busy or finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void here(const char *directory)
{
    const char *rank = getenv("PMI_RANK");
    char name[1000];
    if (!rank)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    snprintf(name, sizeof name, "%s/.rank.%s", directory, rank);
    FILE *f = fopen(name, "w");
    fprintf(f, "%d\n", (int)getpid());
    fclose(f);
    char final[1000];
    snprintf(final, sizeof final, "%s/rank.%s", directory, rank);
    rename(name, final);
}

static void stay(const char *directory, const char *stage, const char *wanted)
{
    if (strcmp(stage, wanted))
        return;
    here(directory);
    for (int i = 0; i < 600; i++)
        usleep(100000);
}

int main(int argc, char **argv)
{
    stay(argv[1], "init", argv[2]);
    MPI_Init(&argc, &argv);
    if (!strcmp(argv[2], "busy")) {
        here(argv[1]);
        for (int x = 1, i = 0; i < 60000; i++) {
            MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            usleep(1000);
        }
    }
    stay(argv[1], "between", argv[2]);
    MPI_Finalize();
    stay(argv[1], "finalize", argv[2]);
    return 0;
}
