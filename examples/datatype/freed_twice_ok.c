/* The program frees each datatype exactly once. */
/* run: np=2 */
#include <mpi.h>

static MPI_Datatype row;

static void tidy(void)
{
    if (row != MPI_DATATYPE_NULL)
        MPI_Type_free(&row);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &row);
    tidy();
    tidy();
    MPI_Type_contiguous(3, MPI_INT, &row);
    tidy();
    MPI_Finalize();
    return 0;
}
