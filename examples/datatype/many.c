/* More than a thousand datatypes exist at the same time. They are freed in the end, but mpivet reports a note. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    enum { N = 1500 };
    MPI_Datatype t[N];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < N; i++)
        MPI_Type_contiguous(i, MPI_INT, &t[i]); /* want info "LOCAL:DATATYPE:NOT_FREED" "has 1000 datatypes" */
    for (int i = 0; i < N; i++)
        MPI_Type_free(&t[i]);
    MPI_Finalize();
    return 0;
}
