/* Bounds say where the next copy begins, not what it contains. Columns of a matrix become rows of another one. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

#define N 4

int main(int argc, char **argv)
{
    int rank;
    double matrix[N][N], turned[N][N] = {{0}};
    MPI_Datatype column, columns, padded;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            matrix[i][j] = 10 * i + j;
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &columns);
    MPI_Type_create_resized(MPI_DOUBLE, -8, 64, &padded);
    MPI_Type_commit(&columns);
    MPI_Type_commit(&padded);
    if (rank == 0) {
        MPI_Send(matrix, N, columns, 1, 0, MPI_COMM_WORLD);
        MPI_Send(matrix, 2, padded, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(turned, N * N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%g %g\n", turned[1][2], turned[3][0]);
        MPI_Recv(turned, 1, columns, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%g %g\n", turned[0][0], turned[1][0]);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
    MPI_Type_free(&padded);
    MPI_Finalize();
    return 0;
}
