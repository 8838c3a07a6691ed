/* Pair types match structs of their two elements. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct located {
    double value;
    int rank;
};

int main(int argc, char **argv)
{
    int rank, flat[4] = {1, 2, 3, 4};
    struct located d[2] = {{0.5, 1}, {1.5, 2}};
    MPI_Datatype located, sized;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, offsetof(struct located, rank)},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &located);
    MPI_Type_create_resized(located, 0, sizeof(struct located), &sized);
    MPI_Type_commit(&sized);
    if (rank == 0) {
        MPI_Send(flat, 2, MPI_2INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(d, 2, MPI_DOUBLE_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(flat, 3, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(flat, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(d, 2, sized, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %g %d\n", flat[3], d[1].value, d[1].rank);
        MPI_Recv(flat, 2, MPI_2INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", flat[2]);
    }
    MPI_Type_free(&located);
    MPI_Type_free(&sized);
    MPI_Finalize();
    return 0;
}
