/* A subarray of ints is received into a column of floats. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, grid[6][8] = {{0}};
    float column[12][3];
    MPI_Datatype type;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Type_create_subarray(2, (int[]){6, 8}, (int[]){3, 4}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &type); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "type made" */
        MPI_Type_commit(&type);
        MPI_Isend(grid, 1, type, 1, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "Sent: 12×INT\nExpected: 12×FLOAT(.|\n)*SUBARRAY\)\[0\]\[0\]\(INT\)(.|\n)*VECTOR\)\[0\]\[0\]\(FLOAT\)" */
    } else {
        MPI_Type_vector(12, 1, 3, MPI_FLOAT, &type); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "type made" */
        MPI_Type_commit(&type);
        MPI_Irecv(column, 1, type, 0, 0, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
