/* The two ranks make persistent requests in different orders: one makes a barrier where the other makes a
 * broadcast. The requests are never started. */
/* run: np=2 */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

int main(int argc, char **argv)
{
    int rank, value = 1, sum;
    MPI_Request r[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);                                  /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "Bcast_init" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=0 */
        MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);             /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "Barrier_init" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=0 */
    } else {
        MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);             /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "Barrier_init" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=1 */
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);                                  /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "Bcast_init" want warning "LOCAL:REQUEST:NOT_STARTED" count=1 ranks=1 */
    }
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]); /* the ranks agree again */ /* want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&r[i]);
    MPI_Finalize();
    return 0;
}
