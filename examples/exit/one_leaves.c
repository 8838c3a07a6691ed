/* One rank exits while the other one still waits for a message from it. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        exit(1); /* want "LOCAL:EXIT:BEFORE_MPI_FINALIZE" ranks=1 */
    MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
