/* MPI_File_open fails, and the program does not check it. Unlike communicators, files return errors by default. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "/nonexistent/mpivet/input", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* want warning "LOCAL:MPI:CALL_FAILED" "MPI_File_open" */
    MPI_Finalize();
    return 0;
}
