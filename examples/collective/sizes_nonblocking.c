/* Every nonblocking collective that moves data, with the right type and the wrong amount of it. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 16 };

int main(int argc, char **argv)
{
    int rank, n, value[4] = {1}, from[4] = {1, 2, 3, 4}, to[FAULTS][8];
    int counts[2] = {1, 1}, mine[2] = {1, 1}, displs[2] = {0, 2}, bytes[2] = {0, 8};
    MPI_Comm comm[FAULTS];
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[FAULTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    n = rank == 0 ? 1 : 2;
    if (rank == 0)
        mine[1] = 2; /* rank 0 thinks of rank 1's part as two elements */
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Ibcast(value, n, MPI_INT, 0, comm[0], &r[0]);                                            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Igather(from, n, MPI_INT, to[1], 1, MPI_INT, 0, comm[1], &r[1]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Igatherv(from, 1, MPI_INT, to[2], mine, displs, MPI_INT, 0, comm[2], &r[2]);             /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Iscatter(from, 1, MPI_INT, to[3], n, MPI_INT, 0, comm[3], &r[3]);                        /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Iscatterv(from, mine, displs, MPI_INT, to[4], 1, MPI_INT, 0, comm[4], &r[4]);            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Iallgather(from, n, MPI_INT, to[5], n, MPI_INT, comm[5], &r[5]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Iallgatherv(from, 1, MPI_INT, to[6], mine, displs, MPI_INT, comm[6], &r[6]);             /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Ialltoall(from, n, MPI_INT, to[7], n, MPI_INT, comm[7], &r[7]);                          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Ialltoallv(from, counts, displs, MPI_INT, to[8], mine, displs, MPI_INT, comm[8], &r[8]); /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Ialltoallw(from, counts, bytes, ints, to[9], mine, bytes, ints, comm[9], &r[9]);         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Ireduce(from, to[10], n, MPI_INT, MPI_SUM, 0, comm[10], &r[10]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Iallreduce(from, to[11], n, MPI_INT, MPI_SUM, comm[11], &r[11]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Ireduce_scatter(from, to[12], mine, MPI_INT, MPI_SUM, comm[12], &r[12]);                 /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Ireduce_scatter_block(from, to[13], n, MPI_INT, MPI_SUM, comm[13], &r[13]);              /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Iscan(from, to[14], n, MPI_INT, MPI_SUM, comm[14], &r[14]);                              /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Iexscan(from, to[15], n, MPI_INT, MPI_SUM, comm[15], &r[15]);                            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Waitall(FAULTS, r, MPI_STATUSES_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
