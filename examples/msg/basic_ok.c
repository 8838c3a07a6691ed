/* Equal types, fewer elements than the receive buffer has room for, and no elements, where the types do not matter. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, i[4] = {1, 2, 3, 4}, count;
    float f[4] = {0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(i, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(i, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(i, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(i, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(i, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(i, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        printf("%d ints\n", count);
        MPI_Recv(f, 4, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_FLOAT, &count);
        printf("%d floats\n", count);
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(f, 1, MPI_FLOAT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
