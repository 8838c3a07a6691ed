/* C and Fortran types of one kind and size. An implementation may let them match, and these implementations do. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, i[3] = {1, 2, 3};
    struct {
        double d;
        int i;
    } x = {0.5, 4};
    MPI_Datatype c, fortran;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_size(MPI_INTEGER, &size);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &c);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE_PRECISION, MPI_INTEGER},
                           &fortran);
    MPI_Type_commit(&c);
    MPI_Type_commit(&fortran);
    if (size == sizeof(int) && rank == 0) {
        MPI_Send(i, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&x, 1, c, 1, 1, MPI_COMM_WORLD);
    } else if (size == sizeof(int)) {
        MPI_Recv(i, 3, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, fortran, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %g %d\n", i[2], x.d, x.i);
    }
    MPI_Type_free(&c);
    MPI_Type_free(&fortran);
    MPI_Finalize();
    return 0;
}
