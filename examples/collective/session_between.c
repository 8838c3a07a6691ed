/* Both groups of an inter-communicator make it together. Rank 3 makes a communicator of its own group instead. */
/* run: np=4 mpi=mpich within=20s */
#include <mpi.h>

int main(void)
{
    int rank;
    MPI_Session session;
    MPI_Group all, low, high;
    MPI_Comm world, half, between;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Comm_create_from_group(all, "world", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world); /* for MPICH 4.0 */
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, 1, 1}}, &low);
    MPI_Group_range_incl(all, 1, (int[1][3]){{2, 3, 1}}, &high);
    if (rank == 3)
        MPI_Comm_create_from_group(high, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &half); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" want "GLOBAL:DEADLOCK:HARD" */
    MPI_Intercomm_create_from_groups(rank < 2 ? low : high, 0, rank < 2 ? high : low, 0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" "rank 3 passes the group {2, 3} and stringtag=" ranks=0,1,2,3 want "GLOBAL:DEADLOCK:HARD" */
    if (rank == 2)
        MPI_Comm_create_from_group(high, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &half);
    MPI_Comm_free(&between);
    MPI_Comm_free(&world);
    if (rank >= 2)
        MPI_Comm_free(&half);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
