/* The program calls MPI before it initializes it. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Barrier(MPI_COMM_WORLD); /* want error "LOCAL:MPI:OUT_OF_ORDER" "MPI_Barrier is called before MPI_Init" may "LOCAL:EXIT:SIGNAL" */
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
