/* Every reduction, with a different operation on each rank. MPI does not notice, and the results are wrong. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 13 };

static void longest(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
}

static void shortest(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
}

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[6][2], counts[2] = {1, 1};
    MPI_Comm comm[FAULTS];
    MPI_Op op, user;
    MPI_Request r[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    op = rank == 0 ? MPI_SUM : MPI_MAX;
    MPI_Op_create(rank == 0 ? longest : shortest, 1, &user);
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Reduce(from, to[0], 1, MPI_INT, op, 0, comm[0]);               /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Allreduce(from, to[0], 1, MPI_INT, op, comm[1]);               /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Reduce_scatter(from, to[0], counts, MPI_INT, op, comm[2]);     /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Reduce_scatter_block(from, to[0], 1, MPI_INT, op, comm[3]);    /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Scan(from, to[0], 1, MPI_INT, op, comm[4]);                    /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Exscan(from, to[0], 1, MPI_INT, op, comm[5]);                  /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Allreduce(from, to[0], 1, MPI_INT, user, comm[6]);             /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" count=1 ranks=0,1 */

    MPI_Ireduce(from, to[0], 1, MPI_INT, op, 0, comm[7], &r[0]);             /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Iallreduce(from, to[1], 1, MPI_INT, op, comm[8], &r[1]);             /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Ireduce_scatter(from, to[2], counts, MPI_INT, op, comm[9], &r[2]);   /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Ireduce_scatter_block(from, to[3], 1, MPI_INT, op, comm[10], &r[3]); /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Iscan(from, to[4], 1, MPI_INT, op, comm[11], &r[4]);                 /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Iexscan(from, to[5], 1, MPI_INT, op, comm[12], &r[5]);               /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_MAX" count=1 ranks=0,1 */
    MPI_Waitall(6, r, MPI_STATUSES_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Op_free(&user);
    MPI_Finalize();
    return 0;
}
