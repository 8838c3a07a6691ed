/* The columns of a matrix interleave and do not overlap. Neither do the edges of a block, resized columns side by side,
 * and data at absolute addresses. A datatype that is freed while it is in use remains valid. */
/* run: np=2 */
#include <mpi.h>

enum { N = 100 };

int main(int argc, char **argv)
{
    static double a[N][N];
    int rank, lens[2] = {1, 1};
    MPI_Datatype column, narrow, pair, row;
    MPI_Aint at[2];
    MPI_Request r[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(N - 2, 1, N, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_create_resized(column, 0, sizeof(double), &narrow);
    MPI_Type_commit(&narrow);
    for (int i = 0; i < 10; i++) {
        for (int k = 0; k < 80; k++) {
            if (k % 2)
                MPI_Isend(&a[1][k], 1, column, 1 - rank, k, MPI_COMM_WORLD, &r[k]);
            else
                MPI_Irecv(&a[1][k], 1, column, 1 - rank, k + 1, MPI_COMM_WORLD, &r[k]);
        }
        MPI_Send(&a[0][0], N, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Sendrecv(&a[0][0], N, MPI_DOUBLE, 1 - rank, N, &a[N - 1][0], N, MPI_DOUBLE, 1 - rank, N, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Waitall(80, r, MPI_STATUSES_IGNORE);
        /* Ten columns side by side. */
        MPI_Irecv(&a[1][10], 10, narrow, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&a[1][20], 10, narrow, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Send(&a[1][30], 10, narrow, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Send(&a[1][30], 10, narrow, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        /* Absolute addresses. */
        MPI_Get_address(&a[3][3], &at[0]);
        MPI_Get_address(&a[7][5], &at[1]);
        MPI_Type_create_hindexed(2, lens, at, MPI_DOUBLE, &pair);
        MPI_Type_commit(&pair);
        MPI_Irecv(MPI_BOTTOM, 1, pair, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Type_free(&pair);
        MPI_Irecv(&a[3][4], 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Send(&a[50][0], 2, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Send(&a[50][0], 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        /* A new datatype, which may have the same handle. */
        MPI_Type_contiguous(N, MPI_DOUBLE, &row);
        MPI_Type_commit(&row);
        MPI_Sendrecv(&a[4][0], 1, row, 1 - rank, 0, &a[5][0], 1, row, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&row);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&narrow);
    MPI_Finalize();
    return 0;
}
