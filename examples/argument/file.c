/* Contradictory access modes, positions before the beginning of a file, and negative counts. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 1;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "argument.tmp", MPI_MODE_CREATE, MPI_INFO_NULL, &file);                     /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "lacks one of MPI_MODE_RDONLY" */
    MPI_File_open(MPI_COMM_WORLD, "argument.tmp", MPI_MODE_CREATE | MPI_MODE_RDONLY, MPI_INFO_NULL, &file);   /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "MPI_MODE_CREATE or MPI_MODE_EXCL together with MPI_MODE_RDONLY" */
    MPI_File_open(MPI_COMM_WORLD, "argument.tmp", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    MPI_File_seek(file, 0, 4711);                                                                             /* want error "LOCAL:MPI:INVALID_ARGUMENT" "whence=4711, which is not one of MPI_SEEK_SET" */
    MPI_File_write_at(file, -8, &value, 1, MPI_INT, MPI_STATUS_IGNORE);                                       /* want error "LOCAL:MPI:INVALID_ARGUMENT" "offset=-8, which is negative" */
    MPI_File_write(file, &value, -1, MPI_INT, MPI_STATUS_IGNORE);                                             /* want error "LOCAL:MPI:INVALID_ARGUMENT" "count=-1" */
    MPI_File_set_size(file, -1);                                                                              /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "size=-1" */
    MPI_File_close(&file);
    MPI_File_close(&file);                                                                                    /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which has been freed already" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
