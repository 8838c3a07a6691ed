/* The program does not free its windows. MPICH prints warnings of UCX about them, which contain addresses. */
/* run: np=2 stdout=any */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int *memory;
    MPI_Win created, shared, dynamic, freed;
    MPI_Init(&argc, &argv);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created); /* want "LOCAL:WIN:NOT_FREED" count=2 */
    MPI_Win_fence(0, created);
    MPI_Win_allocate_shared(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &shared); /* want "LOCAL:WIN:NOT_FREED" */
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic); /* want "LOCAL:WIN:NOT_FREED" */
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &freed);
    MPI_Win_free(&freed);
    MPI_Finalize();
    return 0;
}
