/* A service name that no process has published. The arguments are valid, but the call fails. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Init(&argc, &argv);
    MPI_Lookup_name("mpivet-example-service", MPI_INFO_NULL, port); /* want error "LOCAL:MPI:CALL_FAILED" "MPI_Lookup_name" */
    MPI_Finalize();
    return 0;
}
