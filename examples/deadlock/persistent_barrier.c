/* Rank 1 starts a persistent barrier once less, because it waits for rank 0. Rank 0 waits for the barrier. */
/* run: np=3 */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has this function with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#endif

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        if (rank == 1 && i == 2)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "MPI_Wait waits for rank 1 to start the collective, too" ranks=0,1,2 */
    }
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
