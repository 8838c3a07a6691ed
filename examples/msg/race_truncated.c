/* Two receives from MPI_ANY_SOURCE are posted. Only the first one has room for the longer message. Which message comes
 * first is luck; here a file, which MPI does not know, decides it. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, pid = getpid(), data[10] = {0};
    char name[64];
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/race_truncated.%d", pid);
    if (rank == 0) {
        MPI_Irecv(data, 8, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]); /* want warning "GLOBAL:MSG:RACE" "longer" ranks=0,1,2 */
        MPI_Irecv(data + 8, 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]); /* want warning "GLOBAL:MSG:RACE" */
        MPI_Wait(&requests[0], &status);
        fclose(fopen(name, "w"));
        MPI_Wait(&requests[1], &status);
        remove(name);
    } else if (rank == 1) {
        MPI_Send(data, 8, MPI_INT, 0, 0, MPI_COMM_WORLD); /* want warning "GLOBAL:MSG:RACE" */
    } else {
        while (access(name, F_OK) != 0)
            usleep(1000);
        MPI_Send(data, 2, MPI_INT, 0, 0, MPI_COMM_WORLD); /* want warning "GLOBAL:MSG:RACE" */
    }
    MPI_Finalize();
    return 0;
}
