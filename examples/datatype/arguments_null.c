/* A null pointer as an array that should have elements. MPI detects this and ends the program. */
/* run: np=1 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Datatype t;
    int *lengths = NULL, displacements[3] = {0, 3, 5};
    MPI_Init(&argc, &argv);
    MPI_Type_indexed(3, lengths, displacements, MPI_INT, &t); /* want "LOCAL:DATATYPE:INVALID_ARGUMENT" "array_of_blocklengths is a null pointer" may "LOCAL:EXIT:SIGNAL" */
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
