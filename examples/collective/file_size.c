/* Each rank sets another file size. Under Open MPI one rank never returns from MPI_File_close, because
 * Open MPI confuses its own internal messages. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_size.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 100 * (rank + 1)); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "size=100" count=1 ranks=0,1 may "LOCAL:MPI:CALL_FAILED" */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
