/* Rank 2 asks for a communicator of ranks 1 and 2, the others ask for one of all three. Rank 1 cannot be in both. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Group all, group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{rank / 2, 2, 1}}, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &some); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" "ranks 0,1 pass group={0, 1, 2}, but rank 2 passes group={1, 2}" ranks=0,1,2 may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" */
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
