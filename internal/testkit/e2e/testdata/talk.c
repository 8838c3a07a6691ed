/* Rank 0 reads its standard input. All ranks write to standard output and error. The exit status is the argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    char line[64] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && !fgets(line, sizeof line, stdin))
        return 1;
    MPI_Bcast(line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    printf("rank %d heard %s", rank, line);
    fprintf(stderr, "rank %d says so\n", rank);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
