/* Every nonblocking collective that moves data, with integers on one rank and floats on the other. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 16 };

int main(int argc, char **argv)
{
    int rank, value[1] = {1}, from[2] = {1, 2}, to[FAULTS][2], counts[2] = {1, 1}, displs[2] = {0, 1},
        bytes[2] = {0, 4};
    MPI_Comm comm[FAULTS];
    MPI_Datatype mine, mines[2], ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[FAULTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = mines[0] = mines[1] = rank == 0 ? MPI_INT : MPI_FLOAT;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    MPI_Barrier(MPI_COMM_WORLD); /* both ranks enter each collective at nearly the same time */
    MPI_Ibcast(value, 1, mine, 0, comm[0], &r[0]);                                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Igather(from, 1, mine, to[1], 1, MPI_INT, 0, comm[1], &r[1]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Igatherv(from, 1, mine, to[2], counts, displs, MPI_INT, 0, comm[2], &r[2]);          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Iscatter(from, 1, MPI_INT, to[3], 1, mine, 0, comm[3], &r[3]);                       /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Iscatterv(from, counts, displs, MPI_INT, to[4], 1, mine, 0, comm[4], &r[4]);         /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Iallgather(from, 1, mine, to[5], 1, MPI_INT, comm[5], &r[5]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Iallgatherv(from, 1, MPI_INT, to[6], counts, displs, mine, comm[6], &r[6]);          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ialltoall(from, 1, mine, to[7], 1, mine, comm[7], &r[7]);                            /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ialltoallv(from, counts, displs, mine, to[8], counts, displs, mine, comm[8], &r[8]); /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ialltoallw(from, counts, bytes, mines, to[9], counts, bytes, ints, comm[9], &r[9]);  /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ireduce(from, to[10], 1, mine, MPI_SUM, 0, comm[10], &r[10]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Iallreduce(from, to[11], 1, mine, MPI_SUM, comm[11], &r[11]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ireduce_scatter(from, to[12], counts, mine, MPI_SUM, comm[12], &r[12]);              /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ireduce_scatter_block(from, to[13], 1, mine, MPI_SUM, comm[13], &r[13]);             /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Iscan(from, to[14], 1, mine, MPI_SUM, comm[14], &r[14]);                             /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Iexscan(from, to[15], 1, mine, MPI_SUM, comm[15], &r[15]);                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Waitall(FAULTS, r, MPI_STATUSES_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
