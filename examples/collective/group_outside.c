/* The group of a new communicator must be of processes of the old one. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* so that both get there */
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_create(MPI_COMM_SELF, all, &comm); /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "processes that are not in the communicator" count=2 may "LOCAL:MPI:CALL_FAILED" */
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
