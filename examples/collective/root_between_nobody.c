/* On an inter-communicator, the process that the other group names as the root passes
 * MPI_PROC_NULL. So the other group waits forever. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, first, value = 7;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, 0, &inter);
    MPI_Bcast(&value, 1, MPI_INT, first ? MPI_PROC_NULL : 1, inter); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_PROC_NULL" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&inter); /* may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&half);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
