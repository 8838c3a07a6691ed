/* A program may end with MPI_Abort. This is neither a missing MPI_Finalize nor a death by a signal. */
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
    MPI_Barrier(MPI_COMM_WORLD); /* here the launcher kills the other ranks, which is not their error */
    MPI_Finalize();
    return 0;
}
