/* The program commits datatypes that are already committed, and frees a predefined datatype. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Datatype t, copy, builtin = MPI_INT;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &t);
    MPI_Type_commit(&t);
    MPI_Type_commit(&t); /* want info "LOCAL:DATATYPE:REDUNDANT" "again" */
    MPI_Type_dup(t, &copy);
    MPI_Type_commit(&copy); /* want info "LOCAL:DATATYPE:REDUNDANT" "MPI_Type_dup" */
    MPI_Type_commit(&builtin); /* want info "LOCAL:DATATYPE:REDUNDANT" "MPI_INT, which is predefined" */
    MPI_Type_free(&builtin); /* want error "LOCAL:DATATYPE:REDUNDANT" "frees MPI_INT" */
    MPI_Type_free(&copy);
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
