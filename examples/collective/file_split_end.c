/* The program ends a split collective that it has not begun. MPICH reports an error; Open MPI crashes. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int value[1];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "file_split_end.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_read_all_end(file, value, MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_read_all_end" may "LOCAL:EXIT:SIGNAL" may "LOCAL:MPI:CALL_FAILED" */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
