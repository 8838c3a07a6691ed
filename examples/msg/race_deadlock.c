/* A receive from MPI_ANY_SOURCE comes before one from rank 2. It may take the message of rank 2, and then the second
 * receive waits forever. This does not happen here, because rank 2 waits for a file, which MPI does not know. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, pid = getpid(), value = 0;
    char name[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/race_deadlock.%d", pid);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want warning "GLOBAL:MSG:RACE" "forever" ranks=0,1,2 */
        fclose(fopen(name, "w"));
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want warning "GLOBAL:MSG:RACE" */
        remove(name);
    } else {
        while (rank == 2 && access(name, F_OK) != 0)
            usleep(1000);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* want warning "GLOBAL:MSG:RACE" */
    }
    MPI_Finalize();
    return 0;
}
