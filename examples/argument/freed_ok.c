/* Handles that MPI uses again for new objects, several references to one object, and null handles that are allowed. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Group a, b;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_File file;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
        MPI_Info_create(&info);
        MPI_Info_set(info, "key", "value");
        MPI_Info_free(&info);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &a);
    MPI_Comm_group(MPI_COMM_WORLD, &b);
    MPI_Group_free(&a);
    MPI_Comm_create(MPI_COMM_WORLD, b, &comm);
    MPI_Group_free(&b);
    MPI_Comm_free(&comm);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_Errhandler_free(&handler);
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
