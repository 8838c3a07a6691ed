/* Neighbourhood collectives on a ring of two: a neighbour sends less than expected. Open MPI sometimes notices. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 5 };

int main(int argc, char **argv)
{
    int rank, from[4] = {1, 2, 3, 4}, to[8], counts[2] = {1, 1}, more[2] = {1, 2}, displs[2] = {0, 2};
    MPI_Aint bytes[2] = {0, 8};
    MPI_Comm ring, comm[FAULTS];
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){2}, (int[1]){1}, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(ring, &comm[i]);

    MPI_Neighbor_allgather(from, 1, MPI_INT, to, 1 + rank, MPI_INT, comm[0]);                 /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Neighbor_allgatherv(from, 1, MPI_INT, to, more, displs, MPI_INT, comm[1]);            /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Neighbor_alltoall(from, 1, MPI_INT, to, 2, MPI_INT, comm[2]);                         /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Neighbor_alltoallv(from, counts, displs, MPI_INT, to, more, displs, MPI_INT, comm[3]); /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Neighbor_alltoallw(from, counts, bytes, ints, to, more, bytes, ints, comm[4]);        /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" count=1 ranks=0,1 may info "LOCAL:MPI:CALL_FAILED" */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
