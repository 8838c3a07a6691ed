/* The program has errors returned and checks them, so the finding is only a note. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rc;
    char port[MPI_MAX_PORT_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    rc = MPI_Lookup_name("no such service", MPI_INFO_NULL, port); /* want info "LOCAL:MPI:CALL_FAILED" "MPI_Lookup_name" */
    printf("MPI_Lookup_name %s\n", rc == MPI_SUCCESS ? "succeeded" : "failed");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
