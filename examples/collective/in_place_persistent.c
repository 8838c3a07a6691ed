/* Persistent collectives that only one rank makes with MPI_IN_PLACE. They are never started. */
/* run: np=2 */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#define MPI_Alltoall_init MPIX_Alltoall_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#define MPI_Alltoallw_init MPIX_Alltoallw_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#endif

enum { FAULTS = 7 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[7][2] = {{0}}, counts[2] = {1, 1}, displs[2] = {0, 1}, bytes[2] = {0, 4};
    void *in;
    MPI_Comm comm[FAULTS];
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[7];
    MPI_Info none = MPI_INFO_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    in = rank == 0 ? from : MPI_IN_PLACE;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Allgather_init(in, 1, MPI_INT, to[0], 1, MPI_INT, comm[0], none, &r[0]);                           /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Allgatherv_init(in, 1, MPI_INT, to[1], counts, displs, MPI_INT, comm[1], none, &r[1]);             /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Alltoall_init(in, 1, MPI_INT, to[2], 1, MPI_INT, comm[2], none, &r[2]);                            /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Alltoallv_init(in, counts, displs, MPI_INT, to[3], counts, displs, MPI_INT, comm[3], none, &r[3]); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Alltoallw_init(in, counts, bytes, ints, to[4], counts, bytes, ints, comm[4], none, &r[4]);         /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Allreduce_init(in, to[5], 1, MPI_INT, MPI_SUM, comm[5], none, &r[5]);                              /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Reduce_scatter_block_init(in, to[6], 1, MPI_INT, MPI_SUM, comm[6], none, &r[6]);                   /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */

    for (int i = 0; i < FAULTS; i++) {
        MPI_Request_free(&r[i]);
        MPI_Comm_free(&comm[i]);
    }
    MPI_Finalize();
    return 0;
}
