/* MPI_Sendrecv matches MPI_Sendrecv_replace, sends and receives. At the ends of a line the peer is MPI_PROC_NULL. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, mine, other = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = rank;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &other, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&mine, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 0, &other, 1, MPI_INT,
                 rank ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2)
        MPI_Sendrecv_replace(&mine, 1, MPI_INT, rank - 1, 1, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv_replace(&mine, 1, MPI_INT, rank + 1, 1, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Send(&mine, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, 3, &other, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(&mine, 1, MPI_INT, rank, 4, &other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    printf("rank %d: %d %d\n", rank, mine, other);
    MPI_Finalize();
    return 0;
}
