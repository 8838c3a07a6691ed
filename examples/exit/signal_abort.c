/* An assertion of the program fails, and abort() raises SIGABRT. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

static void require(int condition)
{
    if (!condition)
        abort(); /* want "LOCAL:EXIT:SIGNAL" "SIGABRT" */
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    require(size % 2 == 1);
    MPI_Finalize();
    return 0;
}
