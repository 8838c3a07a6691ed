/* The program sets a file view and queries its datatypes. */
/* run: np=1 */
#include <stdio.h>
#include <unistd.h>
#include <mpi.h>

static void drop(MPI_Datatype *t)
{
    int n, m, k, combiner;
    MPI_Type_get_envelope(*t, &n, &m, &k, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(t);
}

int main(int argc, char **argv)
{
    MPI_File f;
    MPI_Datatype t, etype, filetype;
    MPI_Offset disp;
    int a[2] = {1, 2};
    char name[64], rep[MPI_MAX_DATAREP_STRING];
    snprintf(name, sizeof name, "/tmp/mpivet-view-ok-%ld", (long)getpid());
    MPI_Init(&argc, &argv);
    MPI_Type_vector(2, 1, 2, MPI_INT, &t);
    MPI_Type_commit(&t);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    MPI_File_set_view(f, 0, MPI_INT, t, "native", MPI_INFO_NULL);
    MPI_Type_free(&t);
    MPI_File_write(f, a, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_get_view(f, &disp, &etype, &filetype, rep);
    drop(&etype);
    drop(&filetype);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
