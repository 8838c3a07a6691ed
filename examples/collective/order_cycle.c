/* Three communicators of two ranks each. No two ranks use two of them in different orders; only all three ranks
 * together form a cycle (MPI standard, chapter 6, "Correctness"). The roots do not wait here, so the program ends. */
/* run: np=3 stdout=any */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm with_next = MPI_COMM_NULL, with_last = MPI_COMM_NULL, pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) { /* ranks i and i + 1 */
        MPI_Comm_split(MPI_COMM_WORLD, rank == i || rank == (i + 1) % 3 ? 0 : MPI_UNDEFINED, rank == i ? 0 : 1, &pair);
        if (rank == i)
            with_next = pair;
        else if (pair != MPI_COMM_NULL)
            with_last = pair;
    }
    MPI_Bcast(&value, 1, MPI_INT, 0, with_next); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "circle" ranks=0,1,2 count=1 */
    MPI_Bcast(&value, 1, MPI_INT, 0, with_last); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" may "GLOBAL:DEADLOCK:HARD" */
    printf("rank %d: %d\n", rank, value);
    MPI_Comm_free(&with_next);
    MPI_Comm_free(&with_last);
    MPI_Finalize();
    return 0;
}
