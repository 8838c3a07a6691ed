/* Collectives between two groups. The data that one group sends must have the type that the other group receives. */
/* run: np=3 */
#include <mpi.h>

enum { FAULTS = 16 };

int main(int argc, char **argv)
{
    int rank, first, root, value = 1, from[2] = {1, 2}, to[2], counts[2] = {1, 1}, displs[2] = {0, 1},
        bytes[2] = {0, 4};
    int parts[2] = {1, 1};
    MPI_Comm half, comm[FAULTS];
    MPI_Datatype mine, mines[2], ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2; /* two groups: ranks 0 and 1, and rank 2 */
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    for (int i = 0; i < FAULTS; i++)
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, i, &comm[i]);
    root = first ? 0 : MPI_ROOT;
    parts[0] = first ? 1 : 2;
    mine = mines[0] = mines[1] = first ? MPI_FLOAT : MPI_INT;

    MPI_Bcast(from, 1, mine, root, comm[0]);                                          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Gather(from, 1, mine, to, 1, MPI_INT, root, comm[1]);                         /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Gatherv(from, 1, mine, to, counts, displs, MPI_INT, root, comm[2]);           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Scatter(from, 1, MPI_INT, to, 1, mine, root, comm[3]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Scatterv(from, counts, displs, MPI_INT, to, 1, mine, root, comm[4]);          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Allgather(from, 1, mine, to, 1, MPI_INT, comm[5]);                            /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Allgatherv(from, 1, mine, to, counts, displs, MPI_INT, comm[6]);              /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Alltoall(from, 1, mine, to, 1, mine, comm[7]);                                /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Alltoallv(from, counts, displs, mine, to, counts, displs, mine, comm[8]);     /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Alltoallw(from, counts, bytes, mines, to, counts, bytes, ints, comm[9]);      /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Reduce(from, to, 1, mine, MPI_SUM, root, comm[10]);                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Allreduce(from, to, 1, mine, MPI_SUM, comm[11]);                              /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Reduce_scatter(from, to, parts, mine, MPI_SUM, comm[12]);                     /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Reduce_scatter_block(from, to, parts[0], mine, MPI_SUM, comm[13]);            /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Ibcast(&value, 1, mine, root, comm[14], &r[0]);                               /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Iallgather(from, 1, mine, to, 1, MPI_INT, comm[15], &r[1]);                   /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
