/* The program frees windows of each kind, after their communicator. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int a;
    int *memory;
    MPI_Comm comm;
    MPI_Win win[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, comm, &win[0]);
    MPI_Win_allocate(sizeof a, 1, MPI_INFO_NULL, comm, &memory, &win[1]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win[2]);
    MPI_Win_allocate_shared(sizeof a, 1, MPI_INFO_NULL, comm, &memory, &win[3]);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 4; i++) {
        MPI_Win_fence(0, win[i]);
        MPI_Win_free(&win[i]);
    }
    MPI_Finalize();
    return 0;
}
