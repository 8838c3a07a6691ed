/* The program uses a copy of a datatype's handle after it has freed the datatype. The behaviour of MPI is undefined. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[8] = {0};
    MPI_Datatype t, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_commit(&t);
    copy = t;
    MPI_Type_free(&t);
    MPI_Send(a, 1, copy, MPI_PROC_NULL, 0, MPI_COMM_WORLD); /* want "LOCAL:DATATYPE:FREED" "freed already" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
