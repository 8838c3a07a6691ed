/* Columns of a matrix: a block of three columns overlaps the next block. */
/* run: np=2 stdout=any */
#include <mpi.h>

enum { N = 100 };

int main(int argc, char **argv)
{
    static double a[N][N];
    int rank;
    MPI_Datatype column, three;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_vector(N, 3, N, MPI_DOUBLE, &three);
    MPI_Type_commit(&column);
    MPI_Type_commit(&three);
    MPI_Irecv(&a[0][5], 1, three, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&a[0][7], 1, column, 1 - rank, 1, MPI_COMM_WORLD, &r[1]); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Isend reads memory that MPI_Irecv.* is still filling" ranks=0,1 */
    MPI_Send(&a[0][20], 1, three, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&a[0][30], 1, column, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
    MPI_Type_free(&three);
    MPI_Finalize();
    return 0;
}
