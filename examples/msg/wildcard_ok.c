/* A master receives from MPI_ANY_SOURCE, and then receives the next message from the same source. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, number, sum = 0;
    double x, total = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < 50 * (size - 1); i++) {
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status); /* want info "GLOBAL:MSG:RACE" */
            MPI_Recv(&x, 1, MPI_DOUBLE, status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += number;
            total += x;
        }
        printf("%d %g\n", sum, total);
    } else {
        for (int i = 0; i < 50; i++) {
            number = i;
            x = i / 2.0;
            MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Send(&x, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
