/* A negative count, as the result of a wrong computation. MPI ends the program; mpivet reports this
 * as the same error, not as another one. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype t;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(rank - 1, 1, 2, MPI_INT, &t); /* want error "LOCAL:DATATYPE:INVALID_ARGUMENT" "count = -1 is negative" ranks=0 */
    MPI_Type_free(&t);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
