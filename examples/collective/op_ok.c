/* An operation is the same if it does the same, even if its handles differ. The ranks create user-defined operations in
 * different orders, keep predefined operations in variables, and use one operation on a derived datatype. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

typedef struct {
    double value;
    int index;
} item;

static void largest(void *in, void *inout, int *len, MPI_Datatype *type)
{
    item *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        if (a[i].value > b[i].value)
            b[i] = a[i];
}

static void smallest(void *in, void *inout, int *len, MPI_Datatype *type)
{
    item *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        if (a[i].value < b[i].value)
            b[i] = a[i];
}

int main(int argc, char **argv)
{
    int rank, sum, prefix = 0;
    MPI_Op more[2], min, max, op = MPI_SUM;
    MPI_Datatype pair, type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rank; i++)
        MPI_Op_create(smallest, 1, &more[i]); /* from here on, the handles differ between ranks */
    if (rank == 1) {
        MPI_Op_create(smallest, 1, &min);
        MPI_Op_create(largest, 1, &max);
    } else {
        MPI_Op_create(largest, 1, &max);
        MPI_Op_create(smallest, 1, &min);
    }
    MPI_Type_create_struct(2, (int[2]){1, 1}, (MPI_Aint[2]){0, sizeof(double)}, (MPI_Datatype[2]){MPI_DOUBLE, MPI_INT},
                           &pair);
    MPI_Type_create_resized(pair, 0, sizeof(item), &type);
    MPI_Type_commit(&type);

    item mine = {rank * (2 - rank), rank}, best, least;
    MPI_Allreduce(&mine, &best, 1, type, max, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &least, 1, type, min, MPI_COMM_WORLD);
    printf("rank %d: %g of %d, %g\n", rank, best.value, best.index, least.value);
    MPI_Reduce(&rank, rank == 1 ? &sum : NULL, 1, MPI_INT, rank == 2 ? op : MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Exscan(&rank, &prefix, 1, MPI_INT, op, MPI_COMM_WORLD);
    printf("rank %d: %d %d\n", rank, rank == 1 ? sum : 0, prefix);
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, best.index);

    for (int i = 0; i < rank; i++)
        MPI_Op_free(&more[i]);
    MPI_Op_free(&min);
    MPI_Op_free(&max);
    MPI_Type_free(&pair);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
