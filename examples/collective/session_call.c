/* All processes of a group make its communicator together. Rank 1 waits in a barrier instead. */
/* run: np=3 mpi=mpich within=20s */
#include <mpi.h>

int main(void)
{
    int rank;
    MPI_Session session;
    MPI_Group all;
    MPI_Comm world, more;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Comm_create_from_group(all, "world", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
    if (rank == 1)
        MPI_Barrier(world); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" want "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_create_from_group(all, "more", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &more); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "MPI_Comm_create_from_group for rank 1 to call it too" ranks=0,1,2 want "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&more);
    MPI_Comm_free(&world);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
