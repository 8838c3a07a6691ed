/* Both ranks only send, in different operations. Neither rank waits, and MPI does not notice. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 6 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2], counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Comm comm[FAULTS];
    MPI_Request r[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    if (rank == 0) {
        MPI_Bcast(from, 1, MPI_INT, 0, comm[0]);                                         /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Gather" */
        MPI_Scatter(from, 1, MPI_INT, to, 1, MPI_INT, 0, comm[1]);                       /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Reduce" */
        MPI_Scatterv(from, counts, displs, MPI_INT, to, 1, MPI_INT, 0, comm[2]);         /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Gatherv" */
        MPI_Ibcast(from, 1, MPI_INT, 0, comm[3], &r[0]);                                 /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Igather" */
        MPI_Iscatter(from, 1, MPI_INT, &to[0], 1, MPI_INT, 0, comm[4], &r[1]);           /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Ireduce" */
        MPI_Iscatterv(from, counts, displs, MPI_INT, &to[1], 1, MPI_INT, 0, comm[5], &r[2]); /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Gatherv" */
    } else {
        MPI_Gather(from, 1, MPI_INT, to, 1, MPI_INT, 0, comm[0]);                        /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Bcast" */
        MPI_Reduce(from, to, 1, MPI_INT, MPI_SUM, 0, comm[1]);                           /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Scatter" */
        MPI_Gatherv(from, 1, MPI_INT, to, counts, displs, MPI_INT, 0, comm[2]);          /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Scatterv" */
        MPI_Igather(from, 1, MPI_INT, to, 1, MPI_INT, 0, comm[3], &r[0]);                /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Ibcast" */
        MPI_Ireduce(from, to, 1, MPI_INT, MPI_SUM, 0, comm[4], &r[1]);                   /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Iscatter" */
        MPI_Gatherv(from, 1, MPI_INT, to, counts, displs, MPI_INT, 0, comm[5]);          /* want "GLOBAL:COLLECTIVE:OPERATION_MISMATCH" "MPI_Iscatterv" */
        r[2] = MPI_REQUEST_NULL;
    }
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
