/* Rank 1 makes an error that is found before MPI is entered, and one that is found when the call is about to return.
 * argument: a file to write to at the end */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 1, right = 2;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Send(&wrong, 1, MPI_INT, 0, -3, MPI_COMM_WORLD); /* a negative tag */
        MPI_Isend(&wrong, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        wrong = right; /* the operation is pending */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&right, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    FILE *f = argc > 1 ? fopen(argv[1], "a") : stdout;
    if (!f)
        return 1;
    fprintf(f, "rank %d ends\n", rank);
    fclose(f);
    return 0;
}
