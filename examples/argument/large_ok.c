/* Large datatypes are allowed. MPI_Get_count may return MPI_UNDEFINED for a part of an element. */
/* run: np=1 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int n, m;
    MPI_Count size;
    MPI_Datatype block, large;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    memset(&status, 0, sizeof status);
    MPI_Status_set_elements_x(&status, MPI_BYTE, ((MPI_Count)3 << 30) + 4);
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    MPI_Status_set_elements(&status, MPI_BYTE, 3);
    MPI_Get_count(&status, MPI_INT, &m);
    printf("%d %d\n", n == MPI_UNDEFINED, m == MPI_UNDEFINED);
    MPI_Type_contiguous(1 << 20, MPI_INT, &block);
    MPI_Type_contiguous(1 << 10, block, &large);
    MPI_Type_size_x(large, &size);
    MPI_Type_free(&large);
    MPI_Type_free(&block);
    MPI_Pack_size(1 << 20, MPI_INT, MPI_COMM_WORLD, &n);
    MPI_Finalize();
    return 0;
}
