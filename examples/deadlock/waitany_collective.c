/* MPI_Waitany waits for a reduction or a message. Rank 1 is needed for both but waits. Rank 2 computes. */
/* run: np=3 within=10s */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int one = 1, sum, value = rank, index;
    MPI_Request request[2];
    if (rank == 0) {
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]); /* want "GLOBAL:COLLECTIVE:MISSING" */
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" "COLLECTIVE:MISSING" ranks=0,1 */
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:DEADLOCK:HARD" */
    } else {
        sleep(30); /* represents a long computation */
    }
    MPI_Finalize();
    return 0;
}
