/* A one-sided operation reads its data from a null pointer. */
/* run: np=2 mpi=mpich */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory[4] = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(NULL, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "origin_addr=NULL, which is a null pointer though there are data" ranks=0 may "LOCAL:EXIT:SIGNAL" */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
