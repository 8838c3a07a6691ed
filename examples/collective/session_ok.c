/* Communicators that are made without MPI_COMM_WORLD: one of all processes of a session, two of some processes under
 * different names at the same time, and one between two groups. */
/* run: np=4 mpi=mpich */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int rank, size, sum = 0;
    MPI_Session session;
    MPI_Group all, low, high;
    MPI_Comm world, half, other, between;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, 1, 1}}, &low);
    MPI_Group_range_incl(all, 1, (int[1][3]){{2, 3, 1}}, &high);
    MPI_Comm_create_from_group(rank < 2 ? low : high, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &half);
    if (rank < 2) {
        MPI_Comm_create_from_group(low, "low", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
        MPI_Comm_free(&other);
    }
    printf("rank %d of %d: %d\n", rank, size, sum);
    MPI_Intercomm_create_from_groups(rank < 2 ? low : high, rank / 2, rank < 2 ? high : low, rank < 2, "between",
                                     MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Comm_free(&world);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return 0;
}
