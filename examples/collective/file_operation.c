/* Collective accesses to a file that do not match: one rank writes and the other one reads. Both MPIs accept these
 * calls, whether the accesses have explicit offsets or use the shared file pointer. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value[1] = {1};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_operation.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    if (rank == 0)
        MPI_File_write_at_all(file, 0, value, 1, MPI_INT, MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_File_read_at_all" */
    else
        MPI_File_read_at_all(file, 8, value, 1, MPI_INT, MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_File_write_at_all" */
    if (rank == 0)
        MPI_File_write_ordered(file, value, 1, MPI_INT, MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_File_read_ordered" */
    else
        MPI_File_read_ordered(file, value, 1, MPI_INT, MPI_STATUS_IGNORE); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_File_write_ordered" */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
