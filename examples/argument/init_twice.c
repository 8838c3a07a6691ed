/* The program initializes MPI twice. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Init(&argc, &argv); /* want error "LOCAL:MPI:OUT_OF_ORDER" "MPI_Init is called a second time, as MPI is initialized already" may "LOCAL:EXIT:BEFORE_MPI_FINALIZE" may "LOCAL:EXIT:SIGNAL" */
    MPI_Finalize();
    return 0;
}
