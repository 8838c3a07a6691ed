/* Persistent reductions with a different operation on each rank, each started twice. */
/* run: np=2 */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Reduce_init MPIX_Reduce_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
#define MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#define MPI_Scan_init MPIX_Scan_init
#define MPI_Exscan_init MPIX_Exscan_init
#endif

enum { FAULTS = 6 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[FAULTS][2], counts[2] = {1, 1};
    MPI_Comm comm[FAULTS];
    MPI_Op op;
    MPI_Request r[FAULTS];
    MPI_Info none = MPI_INFO_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    op = rank == 0 ? MPI_SUM : MPI_MAX;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Reduce_init(from, to[0], 1, MPI_INT, op, 0, comm[0], none, &r[0]);              /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Allreduce_init(from, to[1], 1, MPI_INT, op, comm[1], none, &r[1]);              /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Reduce_scatter_init(from, to[2], counts, MPI_INT, op, comm[2], none, &r[2]);    /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Reduce_scatter_block_init(from, to[3], 1, MPI_INT, op, comm[3], none, &r[3]);   /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Scan_init(from, to[4], 1, MPI_INT, op, comm[4], none, &r[4]);                   /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Exscan_init(from, to[5], 1, MPI_INT, op, comm[5], none, &r[5]);                 /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
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
