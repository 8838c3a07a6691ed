/* MPI_IN_PLACE on one rank only, in the functions that require it on all ranks or on none. */
/* run: np=2 mpi=openmpi,mpich<5 */
#include <mpi.h>

enum { FAULTS = 14 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[7][2] = {{0}}, counts[2] = {1, 1}, displs[2] = {0, 1}, bytes[2] = {0, 4};
    void *in;
    MPI_Comm comm[FAULTS];
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[7];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    in = rank == 0 ? from : MPI_IN_PLACE;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Allgather(in, 1, MPI_INT, to[0], 1, MPI_INT, comm[0]);                           /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Allgatherv(in, 1, MPI_INT, to[1], counts, displs, MPI_INT, comm[1]);             /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Alltoall(in, 1, MPI_INT, to[2], 1, MPI_INT, comm[2]);                            /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Alltoallv(in, counts, displs, MPI_INT, to[3], counts, displs, MPI_INT, comm[3]); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Alltoallw(in, counts, bytes, ints, to[4], counts, bytes, ints, comm[4]);         /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Allreduce(in, to[5], 1, MPI_INT, MPI_SUM, comm[5]);                              /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Reduce_scatter_block(in, to[6], 1, MPI_INT, MPI_SUM, comm[6]);                   /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */

    MPI_Iallgather(in, 1, MPI_INT, to[0], 1, MPI_INT, comm[7], &r[0]);                            /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Iallgatherv(in, 1, MPI_INT, to[1], counts, displs, MPI_INT, comm[8], &r[1]);              /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Ialltoall(in, 1, MPI_INT, to[2], 1, MPI_INT, comm[9], &r[2]);                             /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Ialltoallv(in, counts, displs, MPI_INT, to[3], counts, displs, MPI_INT, comm[10], &r[3]); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Ialltoallw(in, counts, bytes, ints, to[4], counts, bytes, ints, comm[11], &r[4]);         /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Iallreduce(in, to[5], 1, MPI_INT, MPI_SUM, comm[12], &r[5]);                              /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Ireduce_scatter_block(in, to[6], 1, MPI_INT, MPI_SUM, comm[13], &r[6]);                   /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" count=1 ranks=0,1 */
    MPI_Waitall(7, r, MPI_STATUSES_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
