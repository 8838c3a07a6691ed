/* Windows of each kind that are not freed; MPICH with UCX dies of that. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int a;
    int *memory;
    MPI_Win created, allocated, dynamic, freed;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created); /* want "LOCAL:WIN:NOT_FREED" count=2 */
    MPI_Win_fence(0, created);
    MPI_Win_allocate(sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &allocated); /* want "LOCAL:WIN:NOT_FREED" */
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic); /* want "LOCAL:WIN:NOT_FREED" */
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &freed);
    MPI_Win_free(&freed);
    MPI_Finalize(); /* may "LOCAL:EXIT:SIGNAL" */
    return 0;
}
