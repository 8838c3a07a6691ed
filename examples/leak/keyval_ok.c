/* Attribute keys are freed before or after their attributes, or an object has the attribute to the end. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data;
    int key, forever, copied, of_type, of_win;
    MPI_Comm dup, again;
    MPI_Datatype type;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_attr(dup, key, &data);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&dup);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, of_type, &data);
    MPI_Type_free(&type);
    MPI_Type_free_keyval(&of_type);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &of_win, NULL);
    MPI_Win_create(&data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_attr(win, of_win, &data);
    MPI_Win_free(&win);
    MPI_Win_free_keyval(&of_win);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &forever, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, forever, &data);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &copied, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    MPI_Comm_set_attr(dup, copied, &data);
    MPI_Comm_dup(dup, &again);
    MPI_Comm_free(&dup);
    MPI_Comm_free_keyval(&copied);
    MPI_Comm_free(&again);
    MPI_Finalize();
    return 0;
}
