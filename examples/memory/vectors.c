/* The parts that are gathered overlap. The two buffers of an exchange overlap too. */
/* run: np=3 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine[4] = {0}, all[30] = {0}, counts[3] = {4, 4, 4}, at[3] = {0, 8, 5}, from[3] = {0, 4, 8},
        to[3] = {20, 16, 11};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Gatherv(mine, 4, MPI_INT, all, counts, at, MPI_INT, 1, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "element 3 of the part for rank 2" ranks=1 */
    else
        MPI_Gatherv(mine, 4, MPI_INT, all, counts, at, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Alltoallv(all, counts, from, MPI_INT, all, counts, to, MPI_INT, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "The send buffer and the receive buffer of MPI_Alltoallv begin at the same address" ranks=0,1,2 */
    for (int i = 0; i < 3; i++) {
        from[i] *= 4;
        to[i] = 4 * to[i] + 2;
    }
    MPI_Alltoallw(all, counts, from, types, all, counts, to, types, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" ranks=0,1,2 */
    MPI_Finalize();
    return 0;
}
