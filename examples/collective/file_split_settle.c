/* Not only collective accesses, but also some other operations require that split collectives have ended before. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[1] = {1};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "file_split_settle.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_set_size(file, 4096); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_set_size while MPI_File_write_all_begin" count=1 ranks=0,1 */
    MPI_File_sync(file);           /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_sync while MPI_File_write_all_begin" count=1 ranks=0,1 */
    MPI_File_write_all_end(file, a, MPI_STATUS_IGNORE);
    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_set_view while MPI_File_write_all_begin" count=1 ranks=0,1 */
    MPI_File_write_all_end(file, a, MPI_STATUS_IGNORE);
    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_close(&file); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_close while MPI_File_write_all_begin" count=1 ranks=0,1 */
    MPI_Finalize();
    return 0;
}
