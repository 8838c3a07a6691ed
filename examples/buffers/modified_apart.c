/* The program changes the buffer of a file operation or a reduction before it completes the operation. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[4], data[4] = {1, 2, 3, 4}, counts[2] = {3, 1};
    MPI_Request r;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "modified_apart.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_iwrite_at(file, 16 * rank, data, 4, MPI_INT, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "The buffer of MPI_File_iwrite_at was changed before MPI_Wait.* completed the operation: byte 4 of the 16 is" ranks=0 */
    if (rank == 0)
        data[1]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_close(&file);

    MPI_Ireduce_scatter(data, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "The send buffer of MPI_Ireduce_scatter was changed before MPI_Wait.* completed the operation: byte 12 of the" ranks=1 */
    if (rank == 1)
        data[3]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Ireduce_scatter_block(data, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "The send buffer of MPI_Ireduce_scatter_block was changed before MPI_Wait.* completed the operation: byte 12" ranks=0 */
    if (rank == 0)
        data[3]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
