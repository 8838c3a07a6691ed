/* Derived datatypes that have the same signature on both sides but are built differently. Partial
 * receives. Packed data match everything. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, matrix[16], column[4] = {0}, position, number;
    char packed[64];
    double x;
    struct {
        int value, index;
    } pair = {3, 4}, pairs[2];
    MPI_Datatype columns, four, absolute;
    MPI_Aint address;
    int one = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 16; i++)
        matrix[i] = i;
    MPI_Type_vector(4, 1, 4, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    MPI_Type_contiguous(4, MPI_INT, &four);
    MPI_Type_commit(&four);
    MPI_Get_address(column, &address);
    MPI_Type_create_hindexed(1, (int[]){4}, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    if (rank == 0) {
        MPI_Send(&matrix[1], 1, columns, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&matrix[2], 1, columns, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&matrix[3], 1, columns, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&pair, 1, MPI_2INT, 1, 1, MPI_COMM_WORLD);
        number = 42;
        x = 0.5;
        position = 0;
        MPI_Pack(&number, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Pack(&x, one, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 2, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(column, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d\n", column[0], column[3]);
        MPI_Recv(column, 1, four, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d\n", column[0], column[3]);
        MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d\n", column[0], column[3]);
        MPI_Recv(pairs, 2, MPI_2INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d\n", pairs[0].value, pairs[0].index);
        MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        position = 0;
        MPI_Unpack(packed, sizeof packed, &position, &number, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(packed, sizeof packed, &position, &x, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        printf("%d %g\n", number, x);
        MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&columns);
    MPI_Type_free(&four);
    MPI_Type_free(&absolute);
    MPI_Finalize();
    return 0;
}
