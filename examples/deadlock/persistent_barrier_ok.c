/* All ranks start a persistent barrier three times, one of them late. The root leaves a broadcast before the others. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#endif

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    for (int i = 0; i < 3; i++) {
        if (rank == 1 && i == 2)
            sleep(2);
        if (rank == 0)
            value = i;
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    printf("rank %d has %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
