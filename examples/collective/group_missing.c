/* All members of the group must call MPI_Comm_create_group, and no other process. Rank 2
 * is a member, but does not call it. */
/* run: np=4 within=20s */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comm;
    MPI_Group all, group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, (int[1]){1}, &group); /* ranks 0, 2 and 3 */
    if (rank == 0 || rank == 3) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm); /* want "GLOBAL:COLLECTIVE:MISSING" "but rank 2 never does(.|\s)*on the group of ranks 0,2,3 of MPI_COMM_WORLD" ranks=0,2,3 want "GLOBAL:DEADLOCK:HARD" */
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
