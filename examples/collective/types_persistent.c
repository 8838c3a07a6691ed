/* Persistent collectives that move data, with integers on one rank and floats on the other. Each is started twice. */
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
    int rank, value[1] = {1}, from[2] = {1, 2}, to[FAULTS][2], counts[2] = {1, 1}, displs[2] = {0, 1},
        bytes[2] = {0, 4};
    MPI_Comm comm[FAULTS];
    MPI_Datatype mine, mines[2], ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[FAULTS];
    MPI_Info none = MPI_INFO_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = mines[0] = mines[1] = rank == 0 ? MPI_INT : MPI_FLOAT;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Bcast_init(value, 1, mine, 0, comm[0], none, &r[0]);                                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Gather_init(from, 1, mine, to[1], 1, MPI_INT, 0, comm[1], none, &r[1]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Gatherv_init(from, 1, mine, to[2], counts, displs, MPI_INT, 0, comm[2], none, &r[2]);          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Scatter_init(from, 1, MPI_INT, to[3], 1, mine, 0, comm[3], none, &r[3]);                       /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Scatterv_init(from, counts, displs, MPI_INT, to[4], 1, mine, 0, comm[4], none, &r[4]);         /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Allgather_init(from, 1, mine, to[5], 1, MPI_INT, comm[5], none, &r[5]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Allgatherv_init(from, 1, MPI_INT, to[6], counts, displs, mine, comm[6], none, &r[6]);          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Alltoall_init(from, 1, mine, to[7], 1, mine, comm[7], none, &r[7]);                            /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Alltoallv_init(from, counts, displs, mine, to[8], counts, displs, mine, comm[8], none, &r[8]); /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Alltoallw_init(from, counts, bytes, mines, to[9], counts, bytes, ints, comm[9], none, &r[9]);  /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Reduce_init(from, to[10], 1, mine, MPI_SUM, 0, comm[10], none, &r[10]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Allreduce_init(from, to[11], 1, mine, MPI_SUM, comm[11], none, &r[11]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Reduce_scatter_init(from, to[12], counts, mine, MPI_SUM, comm[12], none, &r[12]);              /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Reduce_scatter_block_init(from, to[13], 1, mine, MPI_SUM, comm[13], none, &r[13]);             /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Scan_init(from, to[14], 1, mine, MPI_SUM, comm[14], none, &r[14]);                             /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Exscan_init(from, to[15], 1, mine, MPI_SUM, comm[15], none, &r[15]);                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    for (int i = 0; i < 2; i++) {
        MPI_Startall(FAULTS, r);
        MPI_Waitall(FAULTS, r, MPI_STATUSES_IGNORE);
    }

    for (int i = 0; i < FAULTS; i++) {
        MPI_Request_free(&r[i]);
        MPI_Comm_free(&comm[i]);
    }
    MPI_Finalize();
    return 0;
}
