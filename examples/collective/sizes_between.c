/* On an inter-communicator, a group must expect exactly what the other sends. A longer buffer is an error too. */
/* run: np=3 */
#include <mpi.h>

enum { FAULTS = 8 };

int main(int argc, char **argv)
{
    int rank, first, root, n, from[4] = {1, 2, 3, 4}, to[8], counts[2] = {1, 1}, more[2] = {2, 2}, displs[2] = {0, 2};
    MPI_Comm half, comm[FAULTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    first = rank < 2; /* two groups: ranks 0 and 1, and rank 2 */
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    for (int i = 0; i < FAULTS; i++) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, i, &comm[i]);
        MPI_Comm_set_errhandler(comm[i], MPI_ERRORS_RETURN);
    }
    root = first ? 0 : MPI_ROOT;
    n = first ? 2 : 1;

    MPI_Bcast(from, n, MPI_INT, root, comm[0]);                                    /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Bcast" count=1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Gather(from, 1, MPI_INT, to, 2, MPI_INT, root, comm[1]);                   /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Gather" count=1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Gatherv(from, 1, MPI_INT, to, more, displs, MPI_INT, root, comm[2]);       /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Gatherv" count=1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Scatter(from, 1, MPI_INT, to, 2, MPI_INT, root, comm[3]);                  /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Scatter" count=1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Scatterv(from, counts, displs, MPI_INT, to, 2, MPI_INT, root, comm[4]);    /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Scatterv" count=1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Allgather(from, 1, MPI_INT, to, n, MPI_INT, comm[5]);                      /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Allgather" count=1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Alltoallv(from, counts, displs, MPI_INT, to, more, displs, MPI_INT, comm[6]); /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Alltoallv" count=1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, comm[7]);               /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "MPI_Reduce_scatter" count=1 may info "LOCAL:MPI:CALL_FAILED" */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
