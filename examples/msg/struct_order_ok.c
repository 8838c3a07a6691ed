/* The members have different orders in memory, but both sides transfer them in the same order. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct mine {
    int a, b;
    double x;
};
struct yours {
    double x;
    int a, b;
};

int main(int argc, char **argv)
{
    int rank;
    struct mine m = {1, 2, 3.5};
    struct yours y = {0, 0, 0};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Aint at[] = {offsetof(struct mine, a), offsetof(struct mine, b), offsetof(struct mine, x)};
        MPI_Type_create_struct(3, (int[]){1, 1, 1}, at, (MPI_Datatype[]){MPI_INT, MPI_INT, MPI_DOUBLE}, &type);
        MPI_Type_commit(&type);
        MPI_Send(&m, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Aint at[] = {offsetof(struct yours, a), offsetof(struct yours, x)};
        MPI_Type_create_struct(2, (int[]){2, 1}, at, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type);
        MPI_Type_commit(&type);
        MPI_Recv(&y, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d %g\n", y.a, y.b, y.x);
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
