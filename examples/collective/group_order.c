/* All processes must pass the same group, with its members in the same order. */
/* run: np=2 within=20s */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group all, group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (int[2]){rank, !rank}, &group); /* each rank puts itself first */
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" "rank 0 passes the group {0, 1} and tag=0, but rank 1 passes the group {1, 0}" ranks=0,1 may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
