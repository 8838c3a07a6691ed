/* A part of a struct is sent as bytes and received as an int, which it really is. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[2] = {1, 2};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, (int[]){1, sizeof(int)}, (MPI_Aint[]){0, sizeof(int)}, (MPI_Datatype[]){MPI_INT, MPI_BYTE}, &type); /* want "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE" */
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE" "INT, 4×BYTE(.|\n)*2×INT(.|\n)*element 1: MPI_BYTE is sent, MPI_INT is expected" */
    else
        MPI_Recv(data, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE" */
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
