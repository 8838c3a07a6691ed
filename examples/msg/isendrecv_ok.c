/* MPI_Isendrecv and MPI_Isendrecv_replace: around a ring whose processes are at different points, and to the process
 * itself. (MPICH 4.0.2 crashes in MPI_Isendrecv with MPI_PROC_NULL.) */
/* run: np=3 mpi=mpich */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, in[3] = {-1, -1, -1}, around[2];
    MPI_Request r[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    around[0] = around[1] = rank;
    if (rank == 1)
        sleep(1);
    MPI_Isendrecv(&rank, 1, MPI_INT, right, 0, &in[0], 2, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &r[0]);
    MPI_Isendrecv_replace(around, 2, MPI_INT, left, 1, right, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Isendrecv(&rank, 1, MPI_INT, rank, 2, &in[2], 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    printf("rank %d has %d %d %d\n", rank, in[0], around[0], in[2]);
    MPI_Finalize();
    return 0;
}
