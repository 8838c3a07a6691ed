/* Two ranks exchange messages. Both make DIR/started.RANK after the first of them, and DIR/finished.RANK at the end.
 * With fds, they have no free file descriptor meanwhile. Usage: traffic DIR ROUNDS [fds]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MANY = 1 << 20 };
static int spent[MANY], n;

static void mark(const char *dir, const char *name, int rank)
{
    char path[4096];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s.%d", dir, name, rank);
    f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    long rounds;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rounds = argc > 2 ? atol(argv[2]) : 1000;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; i < rounds; i++) {
        if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            value++;
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        if (i == 0) {
            mark(argv[1], "started", rank);
            while (argc > 3 && n < MANY && (spent[n] = dup(1)) >= 0)
                n++;
        }
    }
    while (n > 0)
        close(spent[--n]);
    if (rank == 0)
        printf("%d\n", value);
    MPI_Finalize();
    mark(argv[1], "finished", rank);
    return 0;
}
