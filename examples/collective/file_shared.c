/* All ranks of a file have one shared file pointer, but each rank sets it to another offset. MPICH reports an error on
 * one rank only, and hangs or crashes later. */
/* run: np=2 mpi=openmpi */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_shared.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_seek_shared(file, 8 * rank, MPI_SEEK_SET);                        /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "offset" count=1 ranks=0,1 */
    MPI_File_seek_shared(file, 0, rank == 0 ? MPI_SEEK_SET : MPI_SEEK_CUR);    /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "whence" count=1 ranks=0,1 */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
