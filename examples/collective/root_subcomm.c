/* Ranks 2 and 3 reduce on a communicator of their own. Each of them passes its own rank there as the root. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, root, value = 1, sum;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    root = rank == 3 ? 1 : 0;
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, half); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "root" ranks=2,3 may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&half); /* may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();       /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
