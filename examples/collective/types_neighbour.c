/* Neighbourhood collectives on a ring of two: what a process sends to a neighbour, that one must receive as the same
 * type. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 7 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2], all[2], counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Aint bytes[2] = {0, 4};
    MPI_Comm ring, comm[FAULTS];
    MPI_Datatype mine, mines[2], ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = mines[0] = mines[1] = rank == 0 ? MPI_INT : MPI_FLOAT;
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){2}, (int[1]){1}, 0, &ring);
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(ring, &comm[i]);

    MPI_Neighbor_allgather(from, 1, mine, to, 1, MPI_INT, comm[0]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_allgatherv(from, 1, mine, to, counts, displs, MPI_INT, comm[1]);          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoall(from, 1, mine, to, 1, mine, comm[2]);                            /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoallv(from, counts, displs, mine, to, counts, displs, mine, comm[3]); /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoallw(from, counts, bytes, mines, to, counts, bytes, ints, comm[4]);  /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ineighbor_allgather(from, 1, mine, to, 1, MPI_INT, comm[5], &r[0]);                /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ineighbor_alltoall(from, 1, mine, all, 1, mine, comm[6], &r[1]);                   /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
