/* Nonblocking exchange of the borders of rows. Then a result is reduced and broadcast. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double rim[4] = {0}, sum, own = 1;
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Request request[4];
    for (int i = 0; i < 50; i++) {
        MPI_Isend(&rim[0], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&rim[1], 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Irecv(&rim[2], 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &request[2]);
        MPI_Irecv(&rim[3], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
