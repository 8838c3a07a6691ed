/* Relative positions in a file may be negative. A file view may begin anywhere. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int values[4] = {1, 2, 3, 4};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "argument_ok.tmp", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    MPI_File_write(file, values, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write(file, NULL, 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, -8, MPI_SEEK_CUR);
    MPI_File_seek(file, -4, MPI_SEEK_END);
    MPI_File_read(file, values, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_set_size(file, 0);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
