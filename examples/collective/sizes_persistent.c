/* Every persistent collective that moves data, with the right datatype and the wrong amount of data. They are never
 * started: the calls that make them are collective, so these calls must already agree. */
/* run: np=2 */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Gatherv_init MPIX_Gatherv_init
#define MPI_Scatter_init MPIX_Scatter_init
#define MPI_Scatterv_init MPIX_Scatterv_init
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#define MPI_Alltoall_init MPIX_Alltoall_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#define MPI_Alltoallw_init MPIX_Alltoallw_init
#define MPI_Reduce_init MPIX_Reduce_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
#define MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#define MPI_Scan_init MPIX_Scan_init
#define MPI_Exscan_init MPIX_Exscan_init
#endif

enum { FAULTS = 16 };

int main(int argc, char **argv)
{
    int rank, n, value[4] = {1}, from[4] = {1, 2, 3, 4}, to[FAULTS][8];
    int counts[2] = {1, 1}, mine[2] = {1, 1}, displs[2] = {0, 2}, bytes[2] = {0, 8};
    MPI_Comm comm[FAULTS];
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[FAULTS];
    MPI_Info none = MPI_INFO_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = rank == 0 ? 1 : 2;
    if (rank == 0)
        mine[1] = 2; /* rank 0 counts two elements for rank 1 */
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Bcast_init(value, n, MPI_INT, 0, comm[0], none, &r[0]);                                            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Gather_init(from, n, MPI_INT, to[1], 1, MPI_INT, 0, comm[1], none, &r[1]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Gatherv_init(from, 1, MPI_INT, to[2], mine, displs, MPI_INT, 0, comm[2], none, &r[2]);             /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Scatter_init(from, 1, MPI_INT, to[3], n, MPI_INT, 0, comm[3], none, &r[3]);                        /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Scatterv_init(from, mine, displs, MPI_INT, to[4], 1, MPI_INT, 0, comm[4], none, &r[4]);            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Allgather_init(from, n, MPI_INT, to[5], n, MPI_INT, comm[5], none, &r[5]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Allgatherv_init(from, 1, MPI_INT, to[6], mine, displs, MPI_INT, comm[6], none, &r[6]);             /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Alltoall_init(from, n, MPI_INT, to[7], n, MPI_INT, comm[7], none, &r[7]);                          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Alltoallv_init(from, counts, displs, MPI_INT, to[8], mine, displs, MPI_INT, comm[8], none, &r[8]); /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Alltoallw_init(from, counts, bytes, ints, to[9], mine, bytes, ints, comm[9], none, &r[9]);         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Reduce_init(from, to[10], n, MPI_INT, MPI_SUM, 0, comm[10], none, &r[10]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Allreduce_init(from, to[11], n, MPI_INT, MPI_SUM, comm[11], none, &r[11]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Reduce_scatter_init(from, to[12], mine, MPI_INT, MPI_SUM, comm[12], none, &r[12]);                 /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Reduce_scatter_block_init(from, to[13], n, MPI_INT, MPI_SUM, comm[13], none, &r[13]);              /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Scan_init(from, to[14], n, MPI_INT, MPI_SUM, comm[14], none, &r[14]);                              /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */
    MPI_Exscan_init(from, to[15], n, MPI_INT, MPI_SUM, comm[15], none, &r[15]);                            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 want warning "LOCAL:REQUEST:NOT_STARTED" count=2 ranks=0,1 */

    for (int i = 0; i < FAULTS; i++) {
        MPI_Request_free(&r[i]);
        MPI_Comm_free(&comm[i]);
    }
    MPI_Finalize();
    return 0;
}
