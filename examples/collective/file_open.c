/* One rank opens the file for writing only, the other one for reading too. MPICH reports an error; Open MPI goes on. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_File file = MPI_FILE_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_open.tmp", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | (rank == 0 ? MPI_MODE_WRONLY : MPI_MODE_RDWR), MPI_INFO_NULL, &file); /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "MPI_MODE_WRONLY" count=1 ranks=0,1 may "LOCAL:MPI:CALL_FAILED" */
    if (file != MPI_FILE_NULL)
        MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
