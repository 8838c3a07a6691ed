/* The filetype of a file view is not committed. MPI may return an error, or not notice it. */
/* run: np=1 */
#include <stdio.h>
#include <unistd.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File f;
    MPI_Datatype t;
    char name[64];
    snprintf(name, sizeof name, "/tmp/mpivet-view-%ld", (long)getpid());
    MPI_Init(&argc, &argv);
    MPI_Type_vector(2, 1, 2, MPI_INT, &t);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    MPI_File_set_view(f, 0, MPI_INT, t, "native", MPI_INFO_NULL); /* want "LOCAL:DATATYPE:NOT_COMMITTED" "filetype" */
    MPI_File_close(&f);
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
