/* Nonblocking collectives that move data, with the right datatype and the wrong amount of data. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 11 };

int main(int argc, char **argv)
{
    int rank, n, value[4] = {1}, from[4] = {1, 2, 3, 4}, to[FAULTS][8];
    int counts[2] = {1, 1}, mine[2] = {1, 1}, displs[2] = {0, 2}, bytes[2] = {0, 8};
    MPI_Comm comm[FAULTS];
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    n = rank == 0 ? 1 : 2;
    if (rank == 0)
        mine[1] = 2; /* rank 0 counts two elements for rank 1 */
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Ibcast(value, n, MPI_INT, 0, comm[0], &r);                                             /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Igather(from, n, MPI_INT, to[1], 1, MPI_INT, 0, comm[1], &r);                          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Igatherv(from, 1, MPI_INT, to[2], mine, displs, MPI_INT, 0, comm[2], &r);              /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Iscatter(from, 1, MPI_INT, to[3], n, MPI_INT, 0, comm[3], &r);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Iscatterv(from, mine, displs, MPI_INT, to[4], 1, MPI_INT, 0, comm[4], &r);             /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Iallgather(from, n, MPI_INT, to[5], n, MPI_INT, comm[5], &r);                          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Iallgatherv(from, 1, MPI_INT, to[6], mine, displs, MPI_INT, comm[6], &r);              /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Ialltoall(from, n, MPI_INT, to[7], n, MPI_INT, comm[7], &r);                           /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Ialltoallv(from, counts, displs, MPI_INT, to[8], mine, displs, MPI_INT, comm[8], &r);  /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Ialltoallw(from, counts, bytes, ints, to[9], mine, bytes, ints, comm[9], &r);          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Ireduce(from, to[10], n, MPI_INT, MPI_SUM, 0, comm[10], &r);                          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
