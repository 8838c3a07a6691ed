/* Calls exec() on itself with another argument before MPI_Init, and on another program after MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, sum;
    if (argc == 1) {
        execl(argv[0], argv[0], "again", (char *)NULL);
        return 1;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("sum %d\n", sum);
    fflush(stdout);
    MPI_Finalize();
    execl("/bin/echo", "echo", "the end", (char *)NULL);
    return 1;
}
