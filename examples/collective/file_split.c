/* Split collectives: another collective access before the end, two at a time on one file, the wrong end function. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a[1] = {1}, b[1] = {2};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_split.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);

    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_write_at_all(file, 64, b, 1, MPI_INT, MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_write_all_begin" ranks=0,1 */
    MPI_File_write_all_end(file, a, MPI_STATUS_IGNORE);

    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_write_ordered_begin(file, b, 1, MPI_INT); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_write_all_begin" ranks=0,1 may "LOCAL:MPI:CALL_FAILED" */
    MPI_File_write_all_end(file, a, MPI_STATUS_IGNORE);

    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_write_at_all_end(file, a, MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_write_all_begin" ranks=0,1 */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
