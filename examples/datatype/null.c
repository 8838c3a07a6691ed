/* MPI_DATATYPE_NULL is not a valid datatype. MPI returns errors. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[8] = {0}, b[8] = {0}, one = 1, zero = 0;
    MPI_Datatype t, null = MPI_DATATYPE_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Send(a, 1, null, 0, 0, MPI_COMM_SELF); /* want "LOCAL:DATATYPE:FREED" "MPI_DATATYPE_NULL" */
    MPI_Type_vector(2, 1, 2, null, &t); /* want "LOCAL:DATATYPE:FREED" "oldtype" */
    MPI_Type_commit(&null); /* want "LOCAL:DATATYPE:FREED" */
    MPI_Gather(a, 1, MPI_INT, b, 1, null, 0, MPI_COMM_SELF); /* want "LOCAL:DATATYPE:FREED" "recvtype" */
    MPI_Alltoallw(a, &one, &zero, &null, b, &one, &zero, &null, MPI_COMM_SELF); /* want "LOCAL:DATATYPE:FREED" "sendtypes\[0\]" want "LOCAL:DATATYPE:FREED" "recvtypes\[0\]" */
    MPI_Type_size(null, &one); /* want "LOCAL:DATATYPE:FREED" "MPI_Type_size" */
    MPI_Finalize();
    return 0;
}
