/* A datatype that is not committed is used in calls that need a committed one. MPI returns errors for most of them. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[64] = {0}, position = 0;
    char packed[512];
    MPI_Datatype inner, t, copy;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_contiguous(3, inner, &t);
    MPI_Type_commit(&inner); /* this does not commit the datatypes made from it */
    MPI_Type_dup(t, &copy);
    MPI_Send(a, 1, t, MPI_PROC_NULL, 0, MPI_COMM_WORLD); /* want "LOCAL:DATATYPE:NOT_COMMITTED" "MPI_Type_contiguous" */
    MPI_Recv(a, 1, copy, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "LOCAL:DATATYPE:NOT_COMMITTED" "MPI_Type_dup" */
    if (MPI_Isend(a, 1, t, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r) == MPI_SUCCESS) /* want "LOCAL:DATATYPE:NOT_COMMITTED" */
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (MPI_Recv_init(a, 1, t, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r) == MPI_SUCCESS) /* want "LOCAL:DATATYPE:NOT_COMMITTED" */
        MPI_Request_free(&r);
    MPI_Bcast(a, 1, t, 0, MPI_COMM_SELF); /* want "LOCAL:DATATYPE:NOT_COMMITTED" */
    MPI_Pack(a, 1, t, packed, sizeof packed, &position, MPI_COMM_WORLD); /* want "LOCAL:DATATYPE:NOT_COMMITTED" */
    MPI_Type_free(&copy);
    MPI_Type_free(&t);
    MPI_Type_free(&inner);
    MPI_Finalize();
    return 0;
}
