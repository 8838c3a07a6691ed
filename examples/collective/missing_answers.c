/* The master broadcasts the work and collects the answers. The workers call MPI_Recv to receive the work. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, work = 1, answer;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Bcast(&work, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:MISSING" "ranks 1,2 .*MPI_Recv for rank 0" */
        for (int i = 1; i < size; i++)
            MPI_Recv(&answer, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    } else {
        MPI_Recv(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
        MPI_Send(&work, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
