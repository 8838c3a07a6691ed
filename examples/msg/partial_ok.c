/* The receiver's datatype is for the longest message. Shorter messages end inside it, after any of its elements. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#define MOST 50

struct record {
    int n;
    double x[MOST];
};

int main(int argc, char **argv)
{
    int rank, elements, count;
    struct record r = {0, {0}};
    MPI_Datatype largest, actual;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int n = 0; n <= MOST; n += 10) {
        if (rank == 0) {
            r.n = n;
            MPI_Type_create_struct(2, (int[]){1, n}, (MPI_Aint[]){0, offsetof(struct record, x)},
                                   (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &actual);
            MPI_Type_commit(&actual);
            MPI_Send(&r, 1, actual, 1, n, MPI_COMM_WORLD);
            MPI_Type_free(&actual);
        } else {
            MPI_Type_create_struct(2, (int[]){1, MOST}, (MPI_Aint[]){0, offsetof(struct record, x)},
                                   (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &largest);
            MPI_Type_commit(&largest);
            MPI_Recv(&r, 1, largest, 0, n, MPI_COMM_WORLD, &status);
            MPI_Get_elements(&status, largest, &elements);
            MPI_Get_count(&status, largest, &count);
            printf("%d: %d elements, %s\n", r.n, elements, count == MPI_UNDEFINED ? "a part" : "all");
            MPI_Type_free(&largest);
        }
    }
    MPI_Finalize();
    return 0;
}
