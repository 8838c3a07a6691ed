/* Two messages of different types are received from MPI_ANY_SOURCE in the order in which they should come. That they
 * come in this order is luck; here a file, which MPI does not know, decides it. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, pid = getpid(), number = 0;
    double x = 0;
    char name[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/race_type.%d", pid);
    if (rank == 0) {
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want warning "GLOBAL:MSG:RACE" "1 × MPI_DOUBLE(.|\n)*1 × MPI_INT" ranks=0,1,2 */
        fclose(fopen(name, "w"));
        MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want warning "GLOBAL:MSG:RACE" */
        remove(name);
    } else if (rank == 1) {
        MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* want warning "GLOBAL:MSG:RACE" */
    } else {
        while (access(name, F_OK) != 0)
            usleep(1000);
        MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); /* want warning "GLOBAL:MSG:RACE" */
    }
    MPI_Finalize();
    return 0;
}
