/* The program asked for errors to be returned, and looks at them: worth a note, no more. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int size, rc, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rc = MPI_Send(&value, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD); /* want info "LOCAL:MPI:CALL_FAILED" "MPI_Send" */
    printf("MPI_Send %s\n", rc == MPI_SUCCESS ? "succeeded" : "failed");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
