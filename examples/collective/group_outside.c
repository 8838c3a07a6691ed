/* All processes of the group must belong to the old communicator. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* so that both ranks get to the faulty call */
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_create(MPI_COMM_SELF, all, &comm); /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "processes that are not in the communicator" count=2 may "LOCAL:MPI:CALL_FAILED" */
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
