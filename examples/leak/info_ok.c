/* The program frees its info objects, and those that MPI returns. MPI_INFO_ENV belongs to MPI. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int a;
    int flag;
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info, dup, used;
    MPI_Comm comm;
    MPI_Win win;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Info_get(MPI_INFO_ENV, "command", MPI_MAX_INFO_VAL, value, &flag);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_dup(info, &dup);
    MPI_Win_create(&a, sizeof a, 1, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &used);
    MPI_Info_free(&used);
    MPI_Win_free(&win);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, dup, &comm);
    MPI_Info_free(&dup);
    MPI_Comm_get_info(comm, &used);
    MPI_Comm_free(&comm);
    MPI_Info_free(&used);
    MPI_File_open(MPI_COMM_WORLD, "scratch", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_get_info(file, &used);
    MPI_File_close(&file);
    MPI_Info_free(&used);
    MPI_Finalize();
    return 0;
}
