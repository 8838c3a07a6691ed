/* A library's attribute of MPI_COMM_SELF makes MPI_Finalize call a function that frees its objects, but not all. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

static MPI_Comm comm, forgotten;
static MPI_Datatype type;

static int end(MPI_Comm self, int key, void *value, void *state)
{
    (void)self, (void)value, (void)state;
    MPI_Comm_free_keyval(&key);
    MPI_Type_free(&type);
    return MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int key;
    MPI_Group group;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &forgotten); /* want "LOCAL:COMM:NOT_FREED" count=2 */
    MPI_Comm_group(comm, &group); /* want "LOCAL:GROUP:NOT_FREED" count=2 */
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &comm);
    MPI_Finalize();
    return 0;
}
