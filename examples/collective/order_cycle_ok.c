/* Three communicators of two ranks each, which all ranks use in the same order. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm pair[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) /* ranks i and i + 1 */
        MPI_Comm_split(MPI_COMM_WORLD, rank == i || rank == (i + 1) % 3 ? 0 : MPI_UNDEFINED, rank, &pair[i]);
    for (int step = 0; step < 50; step++)
        for (int i = 0; i < 3; i++)
            if (pair[i] != MPI_COMM_NULL)
                MPI_Bcast(&value, 1, MPI_INT, step % 2, pair[i]);
    printf("rank %d: %d\n", rank, value);
    for (int i = 2; i >= 0; i--)
        if (pair[i] != MPI_COMM_NULL)
            MPI_Comm_free(&pair[i]);
    MPI_Finalize();
    return 0;
}
