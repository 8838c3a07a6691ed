/* The processes of one group do not agree on whether their group comes first or last in the merged communicator. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, first;
    MPI_Comm half, inter, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2; /* two groups: ranks 0 and 1, and rank 2 */
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, 0, &inter);
    MPI_Intercomm_merge(inter, rank, &all); /* want "GLOBAL:COLLECTIVE:HIGH_MISMATCH" "high" ranks=0,1 may "LOCAL:MPI:CALL_FAILED" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&all);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
