/* The program calls MPI after MPI_Finalize. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD); /* want error "LOCAL:MPI:OUT_OF_ORDER" "MPI_Barrier is called after MPI_Finalize" may "LOCAL:EXIT:SIGNAL" */
    return 0;
}
