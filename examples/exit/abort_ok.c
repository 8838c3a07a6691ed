/* MPI_Abort is a proper way to give up: neither a missing MPI_Finalize nor a death by signal. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("giving up\n");
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the others are killed by the launcher here, which is not their fault */
    MPI_Finalize();
    return 0;
}
