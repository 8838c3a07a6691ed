/* The string tag of MPI_Comm_create_from_group distinguishes the calls. Calls with different tags do not match. */
/* run: np=2 mpi=mpich within=20s */
#include <mpi.h>

int main(void)
{
    int rank;
    MPI_Session session;
    MPI_Group all;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Comm_create_from_group(all, rank ? "others" : "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" "rank 0 passes the group {0, 1} and stringtag=" ranks=0,1 may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
