/* The sum of the displacements overflows an int. The elements are empty, so no data are moved. */
/* run: np=3 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int counts[3] = {1 << 30, 1 << 30, 1 << 30}, displs[3] = {0};
    MPI_Datatype nothing;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    for (int i = 1; i < 3; i++)
        displs[i] = (int)((unsigned)displs[i - 1] + (unsigned)counts[i - 1]);
    MPI_Allgatherv(NULL, 1 << 30, nothing, NULL, counts, displs, nothing, MPI_COMM_WORLD); /* want error "LOCAL:INTEGER:OVERFLOW" "displs.2., which is -2147483648: the sum of the previous displacement and count, 1073741824 [+] 1073741824" ranks=0,1,2 */
    MPI_Type_free(&nothing);
    MPI_Finalize();
    return 0;
}
