/* The program does not free attribute keys that no object uses any more. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data;
    int key, mine, of_type;
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); /* want "LOCAL:KEYVAL:NOT_FREED" "4 attribute keys made by MPI_Comm_create_keyval are never freed" count=8 */
        MPI_Comm_set_attr(MPI_COMM_WORLD, key, &data);
        MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &mine, NULL); /* want "LOCAL:KEYVAL:NOT_FREED" */
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_attr(dup, mine, &data);
    MPI_Comm_free(&dup);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL); /* want "LOCAL:KEYVAL:NOT_FREED" "MPI_Type_create_keyval" */
    MPI_Finalize();
    return 0;
}
