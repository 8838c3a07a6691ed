/* The program makes errors on files fatal, and an error ends it. (MPICH 4.0.2 itself crashes here.) */
/* run: np=1 mpi=openmpi */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_File_open(MPI_COMM_SELF, "/nonexistent/mpivet/input", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* want error "LOCAL:MPI:CALL_FAILED" "MPI_File_open" */
    MPI_Finalize();
    return 0;
}
