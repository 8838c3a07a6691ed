/* The program frees its reduction operations, one of them while it is in use. */
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
    for (int i = 0; i < 300; i++) {
        MPI_Op op;
        MPI_Request request;
        MPI_Op_create(add, 1, &op);
        MPI_Iallreduce(&a, &b, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
        MPI_Op_free(&op);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
