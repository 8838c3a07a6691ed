/* The tag is larger than MPI_TAG_UB, which is less than INT_MAX with this MPI. */
/* run: np=1 mpi=mpich */
#include <mpi.h>

int main(int argc, char **argv)
{
    int flag, *bound, out = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    MPI_Send(&out, 1, MPI_INT, 0, *bound + 1, MPI_COMM_WORLD); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "is more than MPI_TAG_UB, which is" */
    MPI_Finalize();
    return 0;
}
