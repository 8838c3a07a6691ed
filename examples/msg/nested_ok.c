/* A struct of structs, as in Gropp's paper on datatype signatures. It is received as one flat struct, as single basic
 * elements, and in parts of other shapes. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct pair {
    int i;
    double d;
};
struct outer {
    struct pair p[2];
    short s;
};

int main(int argc, char **argv)
{
    int rank;
    struct outer x = {{{1, 1.5}, {2, 2.5}}, 3}, y = {{{0, 0}, {0, 0}}, 0};
    MPI_Datatype pair, all, flat, many;
    MPI_Aint displacements[] = {offsetof(struct outer, p[0].i), offsetof(struct outer, p[0].d),
                                offsetof(struct outer, p[1].i), offsetof(struct outer, p[1].d),
                                offsetof(struct outer, s)};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){offsetof(struct pair, i), offsetof(struct pair, d)},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
    MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){0, offsetof(struct outer, s)},
                           (MPI_Datatype[]){pair, MPI_SHORT}, &all);
    MPI_Type_create_struct(5, (int[]){1, 1, 1, 1, 1}, displacements,
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_SHORT}, &flat);
    MPI_Type_contiguous(7, all, &many);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&all);
    MPI_Type_commit(&flat);
    MPI_Type_commit(&many);
    if (rank == 0) {
        MPI_Send(&x, 1, all, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&x, 2, pair, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&x, 1, pair, 1, 2, MPI_COMM_WORLD);
    } else {
        struct outer room[7];
        MPI_Recv(&y, 1, flat, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %g %d %g %d\n", y.p[0].i, y.p[0].d, y.p[1].i, y.p[1].d, y.s);
        MPI_Recv(room, 1, many, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %g\n", room[0].p[1].i, room[0].p[1].d);
        MPI_Recv(room, 1, flat, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %g\n", room[0].p[0].i, room[0].p[0].d);
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&all);
    MPI_Type_free(&flat);
    MPI_Type_free(&many);
    MPI_Finalize();
    return 0;
}
