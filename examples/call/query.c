/* Even a query can fail: MPI_COMM_NULL, which MPI_Comm_split returns to processes that it leaves out, has no rank. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm evens;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, 0, &evens);
    MPI_Comm_rank(evens, &rank); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "MPI_Comm_rank" ranks=1 */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
