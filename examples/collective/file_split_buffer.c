/* A split collective must end with the buffer that it began with. Rank 1 ends it with the buffer of another access. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value[2][1] = {{1}, {2}};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_split_buffer.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at_all_begin(file, rank * sizeof(int), value[0], 1, MPI_INT);
    MPI_File_write_at_all_end(file, value[rank], MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "ank 1 calls MPI_File_write_at_all_end with another buffer than MPI_File_write_at_all_begin" ranks=1 may "LOCAL:MPI:CALL_FAILED" */
    MPI_File_read_at_all_begin(file, rank * sizeof(int), value[0], 1, MPI_INT);
    MPI_File_read_at_all_end(file, value[0], MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
