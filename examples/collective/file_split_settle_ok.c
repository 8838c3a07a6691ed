/* Operations that are allowed between the beginning and the end of a split collective. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[1] = {1}, b[1], rank;
    MPI_File file, other;
    MPI_Offset size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_split_settle_ok.tmp",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_open(MPI_COMM_WORLD, "file_split_settle_ok2.tmp",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &other);
    MPI_File_set_size(file, 4096);
    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_set_size(other, 4096); /* another file */
    MPI_File_get_size(file, &size);
    MPI_File_read_at(file, 1024 + 64 * rank, b, 1, MPI_INT, MPI_STATUS_IGNORE); /* not collective */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_all_end(file, a, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_close(&other);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
