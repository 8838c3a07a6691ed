/* Rank 1 leaves out a collective. Usage: strict_missing OPERATION. It ends; or, with "portable", it comes too late for
 * an MPI that synchronises, as it waits for an action of rank 0 after the collective. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, x = 0, rc = MPI_SUCCESS;
    const char *operation = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(operation, "barrier") && rank == 0)
        rc = MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(operation, "bcast") && rank == 0)
        rc = MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!strcmp(operation, "later")) {
        if (rank == 1)
            MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        rc = MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    printf("rank %d: %s\n", rank, rc == MPI_SUCCESS ? "success" : "error");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
