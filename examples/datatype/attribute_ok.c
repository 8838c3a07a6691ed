/* A library frees its datatype when MPI_Finalize deletes the attributes of MPI_COMM_SELF. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

static MPI_Datatype pair;

static int end(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state;
    return MPI_Type_free(value);
}

int main(int argc, char **argv)
{
    int key;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &pair);
    MPI_Finalize();
    return 0;
}
