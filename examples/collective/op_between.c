/* Reductions between two groups: the operation must be the same in both. */
/* run: np=3 */
#include <mpi.h>

enum { FAULTS = 5 };

int main(int argc, char **argv)
{
    int rank, first, root, from[2] = {1, 2}, to[2], counts[2] = {1, 1};
    MPI_Comm half, comm[FAULTS];
    MPI_Op op;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2; /* two groups: ranks 0 and 1, and rank 2 */
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    for (int i = 0; i < FAULTS; i++)
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, i, &comm[i]);
    root = first ? 0 : MPI_ROOT;
    op = first ? MPI_SUM : MPI_PROD;
    if (!first)
        counts[0] = 2;

    MPI_Reduce(from, to, 1, MPI_INT, op, root, comm[0]);                  /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_PROD" count=1 ranks=0,1,2 */
    MPI_Allreduce(from, to, 1, MPI_INT, op, comm[1]);                     /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_PROD" count=1 ranks=0,1,2 */
    MPI_Reduce_scatter(from, to, counts, MPI_INT, op, comm[2]);           /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_PROD" count=1 ranks=0,1,2 */
    MPI_Reduce_scatter_block(from, to, counts[0], MPI_INT, op, comm[3]);  /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_PROD" count=1 ranks=0,1,2 */
    MPI_Iallreduce(from, to, 1, MPI_INT, op, comm[4], &r);                /* want "GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH" "MPI_PROD" count=1 ranks=0,1,2 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
