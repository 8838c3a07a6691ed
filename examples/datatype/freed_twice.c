/* The program frees a datatype twice. The second time, its variable is MPI_DATATYPE_NULL. */
/* run: np=2 */
#include <mpi.h>

static MPI_Datatype row;

static void tidy(void)
{
    MPI_Type_free(&row); /* want error "LOCAL:DATATYPE:FREED" "a second time" */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &row);
    tidy();
    tidy();
    MPI_Finalize();
    return 0;
}
