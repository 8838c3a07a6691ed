/* Each rank sets another size of the file. (Under Open MPI one of them never comes out of MPI_File_close, as MPI's own
 * messages are mixed up.) */
/* run: np=2 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_size.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 100 * (rank + 1)); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "size=100" count=1 ranks=0,1 may "LOCAL:MPI:CALL_FAILED" */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
