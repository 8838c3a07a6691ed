/* Nonblocking reductions of different numbers of elements. Open MPI hangs in them. */
/* run: np=2 mpi=mpich */
#include <mpi.h>

enum { FAULTS = 5 };

int main(int argc, char **argv)
{
    int rank, n, from[4] = {1, 2, 3, 4}, to[FAULTS][8];
    int mine[2] = {1, 1};
    MPI_Comm comm[FAULTS];
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    n = rank == 0 ? 1 : 2;
    if (rank == 0)
        mine[1] = 2; /* rank 0 counts two elements for rank 1 */
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Iallreduce(from, to[0], n, MPI_INT, MPI_SUM, comm[0], &r);                          /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Ireduce_scatter(from, to[1], mine, MPI_INT, MPI_SUM, comm[1], &r);                  /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Ireduce_scatter_block(from, to[2], n, MPI_INT, MPI_SUM, comm[2], &r);               /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Iscan(from, to[3], n, MPI_INT, MPI_SUM, comm[3], &r);                               /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Iexscan(from, to[4], n, MPI_INT, MPI_SUM, comm[4], &r);                             /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* may info "LOCAL:MPI:CALL_FAILED" */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
