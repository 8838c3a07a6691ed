/* Each split collective of a file, with the blocking collective of the same kind before its end. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a[1] = {1}, b[1] = {2};
    MPI_File f;
    MPI_Status *none = MPI_STATUS_IGNORE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_split_each.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);

    MPI_File_write_all_begin(f, a, 1, MPI_INT);
    MPI_File_write_all(f, b, 1, MPI_INT, none); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_write_all_begin" count=1 ranks=0,1 */
    MPI_File_write_all_end(f, a, none);
    MPI_File_write_at_all_begin(f, 8 * rank, a, 1, MPI_INT);
    MPI_File_write_at_all(f, 64 + 8 * rank, b, 1, MPI_INT, none); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_write_at_all_begin" count=1 ranks=0,1 */
    MPI_File_write_at_all_end(f, a, none);
    MPI_File_write_ordered_begin(f, a, 1, MPI_INT);
    MPI_File_write_ordered(f, b, 1, MPI_INT, none); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_write_ordered_begin" count=1 ranks=0,1 */
    MPI_File_write_ordered_end(f, a, none);
    MPI_File_read_all_begin(f, a, 1, MPI_INT);
    MPI_File_read_all(f, b, 1, MPI_INT, none); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_read_all_begin" count=1 ranks=0,1 */
    MPI_File_read_all_end(f, a, none);
    MPI_File_read_at_all_begin(f, 8 * rank, a, 1, MPI_INT);
    MPI_File_read_at_all(f, 8 * rank, b, 1, MPI_INT, none); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_read_at_all_begin" count=1 ranks=0,1 */
    MPI_File_read_at_all_end(f, a, none);
    MPI_File_read_ordered_begin(f, a, 1, MPI_INT);
    MPI_File_read_ordered(f, b, 1, MPI_INT, none); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_File_read_ordered_begin" count=1 ranks=0,1 */
    MPI_File_read_ordered_end(f, a, none);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
