/* Both groups of an inter-communicator must name the same two leaders. Here each group names its own first process and
 * the second process of the other group. An assertion of MPICH would fail; strict mode prevents this. */
/* run: np=4 mpi=mpich flags="--strict" */
#include <mpi.h>

int main(void)
{
    int rank;
    MPI_Session session;
    MPI_Group all, low, high;
    MPI_Comm between;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, 1, 1}}, &low);
    MPI_Group_range_incl(all, 1, (int[1][3]){{2, 3, 1}}, &high);
    if (MPI_Intercomm_create_from_groups(rank < 2 ? low : high, 0, rank < 2 ? high : low, 1, "between", MPI_INFO_NULL, MPI_ERRORS_RETURN, &between) == MPI_SUCCESS) /* want "GLOBAL:COLLECTIVE:LEADER_MISMATCH" "local_leader=0 \(rank 0\), remote_leader=1 \(rank 3\)" ranks=0,1,2,3 */
        MPI_Comm_free(&between);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
