/* The program does not free windows with memory. With Debian's MPICH the effect is worse: its UCX aborts in
 * MPI_Finalize, with or without mpivet, because the memory is still registered. */
/* run: np=2 mpi=openmpi */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int a;
    int *memory;
    MPI_Win created, allocated;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created); /* want "LOCAL:WIN:NOT_FREED" count=2 */
    MPI_Win_allocate(sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &allocated); /* want "LOCAL:WIN:NOT_FREED" */
    MPI_Finalize();
    return 0;
}
