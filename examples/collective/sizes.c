/* Every collective that moves data, with the right datatype and the wrong amount of data. The program has errors
 * returned, because MPI detects some of them. */
/* run: np=2 mpi=openmpi,mpich<4.1 */
#include <mpi.h>

enum { FAULTS = 16 };

int main(int argc, char **argv)
{
    int rank, n, from[4] = {1, 2, 3, 4}, to[8], counts[2] = {1, 1}, mine[2] = {1, 1}, displs[2] = {0, 2},
        bytes[2] = {0, 8};
    MPI_Comm comm[FAULTS];
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    n = rank == 0 ? 1 : 2;
    if (rank == 0)
        mine[1] = 2; /* rank 0 counts two elements for rank 1 */
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Bcast(from, n, MPI_INT, 0, comm[0]);                                                   /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Bcast" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Gather(from, n, MPI_INT, to, 1, MPI_INT, 0, comm[1]);                                  /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Gather" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Gatherv(from, 1, MPI_INT, to, mine, displs, MPI_INT, 0, comm[2]);                      /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Gatherv" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Scatter(from, 1, MPI_INT, to, n, MPI_INT, 0, comm[3]);                                 /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Scatter" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Scatterv(from, mine, displs, MPI_INT, to, 1, MPI_INT, 0, comm[4]);                     /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Scatterv" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, comm[5]);                                  /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Allgather" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Allgatherv(from, 1, MPI_INT, to, mine, displs, MPI_INT, comm[6]);                      /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Allgatherv" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, comm[7]);                                   /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Alltoall" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Alltoallv(from, counts, displs, MPI_INT, to, mine, displs, MPI_INT, comm[8]);          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Alltoallv" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Alltoallw(from, counts, bytes, ints, to, mine, bytes, ints, comm[9]);                  /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Alltoallw" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Reduce(from, to, n, MPI_INT, MPI_SUM, 0, comm[10]);                                    /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Reduce" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Allreduce(from, to, n, MPI_INT, MPI_SUM, comm[11]);                                    /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Allreduce" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Reduce_scatter(from, to, mine, MPI_INT, MPI_SUM, comm[12]);                            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Reduce_scatter" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Reduce_scatter_block(from, to, n, MPI_INT, MPI_SUM, comm[13]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Reduce_scatter_block" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Scan(from, to, n, MPI_INT, MPI_SUM, comm[14]);                                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Scan" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Exscan(from, to, n, MPI_INT, MPI_SUM, comm[15]);                                       /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Exscan" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
