/* Arguments that look wrong and are correct: empty datatypes, null pointers as arrays without elements, negative
 * strides and displacements, subarrays that end where their array ends. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Datatype t, empty;
    int none[2] = {0, 0}, back[2] = {3, -3}, sizes[2] = {4, 4}, last[2] = {3, 3}, one[2] = {1, 1}, grid[2] = {1, 4};
    int how[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}, args[2] = {MPI_DISTRIBUTE_DFLT_DARG, 3};
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_vector(3, 0, -1, MPI_INT, &t);
    MPI_Type_free(&t);
    MPI_Type_vector(3, 2, -4, MPI_INT, &t);
    MPI_Type_free(&t);
    MPI_Type_create_hvector(2, 1, -64, empty, &t);
    MPI_Type_free(&t);
    MPI_Type_indexed(0, NULL, NULL, MPI_INT, &t);
    MPI_Type_free(&t);
    MPI_Type_indexed(2, none, back, MPI_INT, &t);
    MPI_Type_free(&t);
    MPI_Type_create_struct(0, NULL, NULL, NULL, &t);
    MPI_Type_free(&t);
    MPI_Type_create_subarray(2, sizes, one, last, MPI_ORDER_FORTRAN, MPI_INT, &t);
    MPI_Type_free(&t);
    MPI_Type_create_darray(4, 3, 2, sizes, how, args, grid, MPI_ORDER_FORTRAN, MPI_INT, &t);
    MPI_Type_free(&t);
    MPI_Type_create_resized(MPI_INT, -4, 0, &t);
    MPI_Type_free(&t);
    MPI_Type_free(&empty);
    MPI_Finalize();
    return 0;
}
