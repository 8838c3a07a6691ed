/* MPI_Test finds that a receive is too short, and ends the program. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, data[8] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" count=1 */
    } else {
        MPI_Irecv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:TRUNCATED" */
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
