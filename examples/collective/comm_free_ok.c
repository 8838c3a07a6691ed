/* Each rank frees all communicators that it belongs to, in its own order. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comms[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? 0 : MPI_UNDEFINED, rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comms[2]);
    for (int i = 0; i < 3; i++) {
        int k = (i + rank) % 3;
        if (comms[k] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[k]);
    }
    printf("rank %d is done\n", rank);
    MPI_Finalize();
    return 0;
}
