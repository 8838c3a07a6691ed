/* Packed data are received with the types that were packed, and data sent with these types are received as packed. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct both {
    int i;
    double d;
};

int main(int argc, char **argv)
{
    int rank, position = 0, size;
    char buffer[256];
    struct both b = {7, 0.25};
    MPI_Datatype both;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, offsetof(struct both, d)},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &both);
    MPI_Type_commit(&both);
    if (rank == 0) {
        MPI_Pack(&b.i, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
        MPI_Pack(&b.d, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
        MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&b, 1, both, 1, 1, MPI_COMM_WORLD);
    } else {
        struct both in = {0, 0};
        MPI_Recv(&in, 1, both, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %g\n", in.i, in.d);
        MPI_Recv(buffer, sizeof buffer, MPI_PACKED, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &size);
        MPI_Unpack(buffer, size, &position, &in, 1, both, MPI_COMM_WORLD);
        printf("%d %g\n", in.i, in.d);
    }
    MPI_Type_free(&both);
    MPI_Finalize();
    return 0;
}
