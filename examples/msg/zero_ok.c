/* Data without elements match everything: counts of zero, block lengths of zero, and types without elements. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, i = 5, count;
    double d = 0.5;
    MPI_Datatype none, one;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(0, MPI_DOUBLE, &none);
    MPI_Type_create_struct(3, (int[]){0, 1, 0}, (MPI_Aint[]){0, 0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT, MPI_CHAR},
                           &one);
    MPI_Type_commit(&none);
    MPI_Type_commit(&one);
    if (rank == 0) {
        MPI_Send(&d, 0, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&d, 3, none, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&i, 1, one, 1, 2, MPI_COMM_WORLD);
        MPI_Send(&d, 0, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        printf("%d\n", count);
        MPI_Recv(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&i, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&i, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", i);
    }
    MPI_Type_free(&none);
    MPI_Type_free(&one);
    MPI_Finalize();
    return 0;
}
