/* Every function with a root, where the two ranks pass different roots. If the root sends, both ranks act as the root.
 * If the root receives, neither rank does. So no rank waits, and the data go nowhere. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>

enum { FAULTS = 12 };

int main(int argc, char **argv)
{
    int rank, other, from[2] = {1, 2}, to[2] = {0}, counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Comm comm[FAULTS];
    MPI_Request r[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Bcast(from, 1, MPI_INT, rank, comm[0]);                                       /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Bcast" count=1 ranks=0,1 */
    MPI_Scatter(from, 1, MPI_INT, to, 1, MPI_INT, rank, comm[1]);                     /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Scatter" count=1 ranks=0,1 */
    MPI_Scatterv(from, counts, displs, MPI_INT, to, 1, MPI_INT, rank, comm[2]);       /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Scatterv" count=1 ranks=0,1 */
    MPI_Gather(from, 1, MPI_INT, to, 1, MPI_INT, other, comm[3]);                     /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Gather" count=1 ranks=0,1 */
    MPI_Gatherv(from, 1, MPI_INT, to, counts, displs, MPI_INT, other, comm[4]);       /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Gatherv" count=1 ranks=0,1 */
    MPI_Reduce(from, to, 1, MPI_INT, MPI_SUM, other, comm[5]);                        /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Reduce" count=1 ranks=0,1 */

    MPI_Ibcast(from, 1, MPI_INT, rank, comm[6], &r[0]);                                /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Ibcast" count=1 ranks=0,1 */
    MPI_Iscatter(from, 1, MPI_INT, &to[0], 1, MPI_INT, rank, comm[7], &r[1]);          /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Iscatter" count=1 ranks=0,1 */
    MPI_Iscatterv(from, counts, displs, MPI_INT, &to[1], 1, MPI_INT, rank, comm[8], &r[2]); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Iscatterv" count=1 ranks=0,1 */
    MPI_Igather(from, 1, MPI_INT, NULL, 1, MPI_INT, other, comm[9], &r[3]);            /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Igather" count=1 ranks=0,1 */
    MPI_Igatherv(from, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, other, comm[10], &r[4]); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Igatherv" count=1 ranks=0,1 */
    MPI_Ireduce(from, NULL, 1, MPI_INT, MPI_SUM, other, comm[11], &r[5]);              /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Ireduce" count=1 ranks=0,1 */
    MPI_Waitall(6, r, MPI_STATUSES_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
