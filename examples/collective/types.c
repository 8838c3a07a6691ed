/* Every collective that moves data, with integers on one rank and floats on the other. They have the same
 * number of bytes, so MPI does not notice. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 16 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2], counts[2] = {1, 1}, displs[2] = {0, 1}, bytes[2] = {0, 4};
    MPI_Comm comm[FAULTS];
    MPI_Datatype mine, mines[2], ints[2] = {MPI_INT, MPI_INT};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = mines[0] = mines[1] = rank == 0 ? MPI_INT : MPI_FLOAT;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Bcast(from, 1, mine, 0, comm[0]);                                                          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Gather(from, 1, mine, to, 1, MPI_INT, 0, comm[1]);                                         /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Gatherv(from, 1, mine, to, counts, displs, MPI_INT, 0, comm[2]);                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Scatter(from, 1, MPI_INT, to, 1, mine, 0, comm[3]);                                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Scatterv(from, counts, displs, MPI_INT, to, 1, mine, 0, comm[4]);                          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Allgather(from, 1, mine, to, 1, MPI_INT, comm[5]);                                         /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Allgatherv(from, 1, MPI_INT, to, counts, displs, mine, comm[6]);                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Alltoall(from, 1, mine, to, 1, mine, comm[7]);                                             /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Alltoallv(from, counts, displs, mine, to, counts, displs, mine, comm[8]);                  /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Alltoallw(from, counts, bytes, mines, to, counts, bytes, ints, comm[9]);                   /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Reduce(from, to, 1, mine, MPI_SUM, 0, comm[10]);                                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Allreduce(from, to, 1, mine, MPI_SUM, comm[11]);                                           /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Reduce_scatter(from, to, counts, mine, MPI_SUM, comm[12]);                                 /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Reduce_scatter_block(from, to, 1, mine, MPI_SUM, comm[13]);                                /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Scan(from, to, 1, mine, MPI_SUM, comm[14]);                                                /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Exscan(from, to, 1, mine, MPI_SUM, comm[15]);                                              /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
