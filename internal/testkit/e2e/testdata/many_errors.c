/* Makes errors in many places, reports it by the file DIRECTORY/there, and runs until it is ended. Usage: many_errors
 * DIRECTORY. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void wrong(int depth, int to)
{
    int x = 0;
    if (depth > 0)
        wrong(depth - 1, to);
    MPI_Send(&x, 1, MPI_INT, to, depth, MPI_COMM_WORLD);
}

#define TEN(n) wrong(n, 90); wrong(n + 1, 91); wrong(n + 2, 92); wrong(n + 3, 93); wrong(n + 4, 94); \
               wrong(n + 5, 95); wrong(n + 6, 96); wrong(n + 7, 97); wrong(n + 8, 98); wrong(n + 9, 99);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        TEN(0) TEN(10) TEN(20)
        char name[1000];
        snprintf(name, sizeof name, "%s/there", argv[1]);
        fclose(fopen(name, "w"));
    }
    for (;;)
        usleep(1000);
}
