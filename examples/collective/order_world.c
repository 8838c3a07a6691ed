/* A broadcast among all ranks and one within half of them. Only rank 0 calls them in the wrong order. */
/* run: np=4 stdout=any */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, a = 1, b = 2;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    if (rank == 0) {
        MPI_Bcast(&b, 1, MPI_INT, 0, half);           /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "MPI_COMM_WORLD" ranks=0,1 */
        MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
        MPI_Bcast(&b, 1, MPI_INT, 0, half);           /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    }
    printf("rank %d: %d %d\n", rank, a, b);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
