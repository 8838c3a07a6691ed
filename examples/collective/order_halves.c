/* One half of the ranks broadcasts on comm1 and then on comm2, the other half in the opposite order (the example of the
 * paper on collective checking, section 5). It works only if the roots do not wait in their first broadcast. */
/* run: np=4 stdout=any */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, a = 0, b = 0;
    MPI_Comm comm1, comm2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm1);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm2);
    if (rank < size / 2) {
        MPI_Bcast(&a, 1, MPI_INT, 0, comm1);        /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "made by MPI_Comm_split at order_halves.c:14 first" ranks=0,1,2,3 */
        MPI_Bcast(&b, 1, MPI_INT, size - 1, comm2); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Bcast(&b, 1, MPI_INT, size - 1, comm2); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
        MPI_Bcast(&a, 1, MPI_INT, 0, comm1);        /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "made by MPI_Comm_split at order_halves.c:15" */
    }
    printf("rank %d: %d %d\n", rank, a, b);
    MPI_Comm_free(&comm1);
    MPI_Comm_free(&comm2);
    MPI_Finalize();
    return 0;
}
