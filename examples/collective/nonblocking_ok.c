/* All ranks start nonblocking collectives in the same order and complete them in any order,
 * with blocking collectives in between. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value, sum = 0, max = 0;
    MPI_Request r[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank == 2 ? 17 : 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Ibcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD, &r[2]);
    MPI_Allreduce(&rank, &max, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Wait(&r[2], MPI_STATUS_IGNORE);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    } else {
        int index;
        for (int i = 0; i < 3; i++)
            MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d %d %d\n", rank, value, sum, max);
    MPI_Finalize();
    return 0;
}
