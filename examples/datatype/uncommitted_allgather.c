/* The receive datatype of a collective is not committed. Open MPI 4.1 does not check this, and crashes. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[8] = {0}, b[8] = {0};
    MPI_Datatype t;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 1, 2, MPI_INT, &t);
    MPI_Allgather(a, 2, MPI_INT, b, 1, t, MPI_COMM_SELF); /* want "LOCAL:DATATYPE:NOT_COMMITTED" "recvtype" may "LOCAL:EXIT:SIGNAL" */
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
