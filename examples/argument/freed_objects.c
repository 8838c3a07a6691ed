/* The program uses objects that no longer exist, and null handles. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 1;
    MPI_Group group, left;
    MPI_Info info, old;
    MPI_Op op = MPI_SUM;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Op_free(&op); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "predefined, so it must not be freed" */
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_free(&group);
    MPI_Group_incl(group, 1, (int[1]){0}, &left); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which is not a group" */
    MPI_Group_free(&group); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which has been freed already" */
    MPI_Info_create(&info);
    old = info;
    MPI_Info_free(&info);
    MPI_Info_set(info, "key", "value"); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which is not an info object" */
    MPI_Reduce_local(&value, &value, 0, MPI_INT, MPI_OP_NULL); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "op=MPI_OP_NULL" */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "which is not an error handler" */
    (void)old;
    MPI_Finalize();
    return 0;
}
