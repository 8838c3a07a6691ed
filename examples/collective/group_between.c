/* All processes of one side of an inter-communicator must pass the same group. Ranks 0 and 1 pass only themselves. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, first;
    MPI_Comm half, between, made = MPI_COMM_NULL;
    MPI_Group own, mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, 0, &between);
    MPI_Comm_group(half, &own);
    MPI_Group_incl(own, 1, (int[1]){rank % 2}, &mine);
    MPI_Comm_create(between, mine, &made); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" "rank 0 passes group=[{]0[}], but rank 1 passes group=[{]1[}]" ranks=0,1 may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" */
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Group_free(&mine);
    MPI_Group_free(&own);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
