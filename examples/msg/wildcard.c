/* A master receives with MPI_ANY_SOURCE and MPI_ANY_TAG. One of the workers sends another type than the others. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, number = 1;
    unsigned positive = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" count=1 ranks=0,2 want info "GLOBAL:MSG:RACE" */
    } else if (rank == 2) {
        MPI_Send(&positive, 1, MPI_UNSIGNED, 0, rank, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_UNSIGNED(.|\n)*MPI_INT" */
    } else {
        MPI_Send(&number, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
