/* On an inter-communicator, ranks are those of the other group. The message comes late, from rank 1 of that group. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
    if (rank == 1) {
        sleep(2);
        value = 1;
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, inter);
    }
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, inter, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d has %d\n", rank, value);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
