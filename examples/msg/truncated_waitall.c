/* One of several receives is too short. MPI ends the program in MPI_Waitall. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[3][8] = {{0}};
    MPI_Request request[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(data[0], 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data[1], 8, MPI_INT, 1, 1, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" */
        MPI_Send(data[2], 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(data[0], 8, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(data[1], 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[1]); /* want "GLOBAL:MSG:TRUNCATED" "tag=1" count=1 */
        MPI_Irecv(data[2], 8, MPI_INT, 0, 2, MPI_COMM_WORLD, &request[2]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
