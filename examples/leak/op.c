/* A program makes a reduction operation for each of many reductions, and does not free it. */
/* run: np=2 */
#include <mpi.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int a = 1, b;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 7; i++) {
        MPI_Op op;
        MPI_Op_create(add, 1, &op); /* want "LOCAL:OP:NOT_FREED" "7 reduction operations made by MPI_Op_create are never freed" count=14 */
        MPI_Allreduce(&a, &b, 1, MPI_INT, op, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
