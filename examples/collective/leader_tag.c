/* The leaders of the two groups pass different tags, so they wait for each other. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, first;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, rank, &inter); /* want "GLOBAL:COLLECTIVE:LEADER_MISMATCH" "tag" ranks=0,2 may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
