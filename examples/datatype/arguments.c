/* Constructors of datatypes are called with invalid arguments. MPI returns errors for some of them. */
/* run: np=1 */
#include <mpi.h>

static void drop(int rc, MPI_Datatype *t)
{
    if (rc == MPI_SUCCESS)
        MPI_Type_free(t);
}

int main(int argc, char **argv)
{
    MPI_Datatype t;
    int two[2] = {2, 2}, minus[2] = {2, -1}, sizes[2] = {4, 4}, late[2] = {3, 0}, none[2] = {0, 2}, starts[2] = {0, 0};
    int block[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK},
        any[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Aint at[2] = {0, 16};
    MPI_Datatype of[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    drop(MPI_Type_contiguous(-1, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "count = -1 is negative" */
    drop(MPI_Type_vector(2, -3, 4, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "blocklength = -3 is negative" */
    drop(MPI_Type_indexed(2, minus, two, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "array_of_blocklengths\[1\] = -1 is negative" */
    drop(MPI_Type_create_struct(2, minus, at, of, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "array_of_blocklengths\[1\] = -1 is negative" */
    drop(MPI_Type_create_subarray(2, sizes, two, late, MPI_ORDER_C, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "array_of_starts\[0\] = 3 lets the subarray reach beyond" */
    drop(MPI_Type_create_subarray(2, sizes, none, starts, MPI_ORDER_C, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "array_of_subsizes\[0\] = 0" */
    drop(MPI_Type_create_subarray(2, sizes, two, starts, 17, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "order = 17" */
    drop(MPI_Type_create_subarray(0, sizes, two, starts, MPI_ORDER_C, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "ndims = 0" */
    drop(MPI_Type_create_darray(4, 4, 2, sizes, block, any, two, MPI_ORDER_C, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "rank = 4" */
    drop(MPI_Type_create_darray(5, 4, 2, sizes, block, any, two, MPI_ORDER_C, MPI_INT, &t), &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "size = 5" */
    MPI_Finalize();
    return 0;
}
