/* A library's objects, and its key, are freed when MPI_Finalize deletes its attribute of MPI_COMM_SELF. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

static MPI_Comm comm;
static MPI_Group group;
static MPI_Info info;
static MPI_Op op;

static void nothing(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}

static int end(MPI_Comm self, int key, void *value, void *state)
{
    (void)self, (void)value, (void)state;
    MPI_Comm_free_keyval(&key);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
    MPI_Op_free(&op);
    return MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_group(comm, &group);
    MPI_Info_create(&info);
    MPI_Op_create(nothing, 1, &op);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &info);
    MPI_Finalize();
    return 0;
}
