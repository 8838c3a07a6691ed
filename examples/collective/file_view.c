/* The arguments of a file's collective settings differ between the ranks. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_view.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_Datatype type = rank == 0 ? MPI_INT : MPI_DOUBLE;
    MPI_File_set_view(file, 0, type, type, "native", MPI_INFO_NULL);                                        /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "etype" count=1 ranks=0,1 */
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == 0 ? "native" : "external32", MPI_INFO_NULL);       /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "external32" count=1 ranks=0,1 */
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_preallocate(file, rank == 0 ? 64 : 32);                                                        /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "size" count=1 ranks=0,1 may "LOCAL:MPI:CALL_FAILED" */
    MPI_File_set_atomicity(file, rank);                                                                     /* want "GLOBAL:COLLECTIVE:FILE_MISMATCH" "flag" count=1 ranks=0,1 may "LOCAL:MPI:CALL_FAILED" */
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
