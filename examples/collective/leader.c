/* Each process of the first group names itself as the leader that talks to the other group. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, first, leader;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2; /* two groups: ranks 0 and 1, and rank 2 */
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Comm_rank(half, &leader);
    MPI_Intercomm_create(half, leader, MPI_COMM_WORLD, first ? 2 : 0, 0, &inter); /* want "GLOBAL:COLLECTIVE:LEADER_MISMATCH" "local_leader" ranks=0,1 may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" */
    MPI_Comm_free(&inter); /* may "GLOBAL:DEADLOCK:HARD" may "LOCAL:MPI:CALL_FAILED" */
    MPI_Comm_free(&half);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
