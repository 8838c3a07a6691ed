/* The function that deletes an attribute does nothing, so it frees no datatype. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    static MPI_Datatype pair;
    int key;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair); /* want "LOCAL:DATATYPE:NOT_FREED" */
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &pair);
    MPI_Finalize();
    return 0;
}
