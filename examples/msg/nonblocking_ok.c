/* Receives of different types are pending at the same time. Tags and order decide which message each of them gets. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, i = 7;
    double d = 2.5;
    char c[4] = "abc";
    MPI_Request r[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(c, 4, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(&d, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Isend(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[2]);
        r[3] = MPI_REQUEST_NULL;
    } else {
        i = 0;
        d = 0;
        c[0] = '?';
        MPI_Irecv(&d, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Irecv(c, 4, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &r[2]);
        MPI_Irecv(&i, 1, MPI_FLOAT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &r[3]);
    }
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    if (rank == 1)
        printf("%s %d %g\n", c, i, d);
    MPI_Finalize();
    return 0;
}
