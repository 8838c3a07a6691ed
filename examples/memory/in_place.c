/* Collectives get one buffer as both send buffer and receive buffer. The program should pass MPI_IN_PLACE. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(data, data, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "Use MPI_IN_PLACE" ranks=0,1 */
    MPI_Allgather(data + 2 * rank, 2, MPI_INT, data, 2, MPI_INT, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "Use MPI_IN_PLACE" ranks=0,1 */
    MPI_Alltoall(data, 2, MPI_INT, data, 2, MPI_INT, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "Use MPI_IN_PLACE" ranks=0,1 */
    MPI_Gather(data, 1, MPI_INT, data, 1, MPI_INT, 0, MPI_COMM_SELF); /* want error "LOCAL:MEMORY:OVERLAP" "Use MPI_IN_PLACE" ranks=0,1 */
    MPI_Scatter(data, 1, MPI_INT, data, 1, MPI_INT, 0, MPI_COMM_SELF); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_IN_PLACE as the receive buffer" ranks=0,1 */
    MPI_Finalize();
    return 0;
}
