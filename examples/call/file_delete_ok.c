/* A program deletes an old file, which may not exist, before it creates a new one. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_delete("no/such/file", MPI_INFO_NULL); /* want info "LOCAL:MPI:CALL_FAILED" "no such file to delete" */
    MPI_File_open(MPI_COMM_SELF, "scratch", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
