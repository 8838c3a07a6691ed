/* A stencil with halo exchange, as in most programs. */
/* run: np=2 */
#include <mpi.h>
#include <math.h>
#include <stdio.h>

#define N 64

int main(int argc, char **argv)
{
    int rank, size, up, down;
    double u[N + 2], v[N + 2], change = 1, all = 1;
    MPI_Request r[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    for (int i = 0; i < N + 2; i++)
        u[i] = v[i] = rank == 0 && i == 0 ? 100 : 0;
    for (int step = 0; step < 400 && all > 1e-3; step++) {
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&u[N + 1], 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(&u[N], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &r[3]);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        change = 0;
        for (int i = 1; i <= N; i++) {
            v[i] = (u[i - 1] + u[i + 1]) / 2;
            change += fabs(v[i] - u[i]);
        }
        for (int i = 1; i <= N; i++)
            u[i] = v[i];
        if (step % 10 == 0)
            MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%.6f\n", all);
    MPI_Finalize();
    return 0;
}
