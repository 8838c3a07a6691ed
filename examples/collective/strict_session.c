/* Strict mode in a program that uses MPI by a session only. The broadcast enters MPI on none of the processes. */
/* run: np=3 mpi=mpich flags="--strict" status=3 */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int rank, value = 0;
    MPI_Session session;
    MPI_Group all;
    MPI_Comm world;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &world);
    MPI_Comm_rank(world, &rank);
    if (MPI_Bcast(&value, 1, MPI_INT, rank / 2, world) != MPI_SUCCESS) /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" ranks=0,1,2 */
        printf("rank %d does without it\n", rank);
    MPI_Barrier(world);
    MPI_Comm_free(&world);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
