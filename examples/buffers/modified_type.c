/* A column of a matrix is changed while it is sent: one element of it, and again while another column is received. */
/* run: np=2 flags="--checksums" stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, index, in[4], matrix[4][4];
    MPI_Request r, list[2];
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 16; i++)
        matrix[i / 4][i % 4] = i;
    if (rank == 0) {
        MPI_Issend(&matrix[0][1], 1, column, 1, 2, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "byte 12 of the 16 \(datatype\(VECTOR\)\[3\]" count=1 ranks=0 */
        matrix[3][1]++;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitany(1, &r, &index, MPI_STATUS_IGNORE);

        /* another column is received at the same time */
        MPI_Irecv(&matrix[0][0], 1, column, 1, 5, MPI_COMM_WORLD, &list[0]);
        MPI_Issend(&matrix[0][2], 1, column, 1, 5, MPI_COMM_WORLD, &list[1]); /* want "LOCAL:MEMORY:ILLEGAL_MODIFICATION" "byte 0 of the 16" count=1 ranks=0 */
        matrix[0][2]++;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(in, 4, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Sendrecv_replace(in, 4, MPI_INT, 0, 5, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
