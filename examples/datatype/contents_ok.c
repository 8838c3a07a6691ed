/* The program queries the contents of a datatype, and uses and frees the datatypes that MPI returns. MPI decides
 * whether they are committed, and it may return handles that the program already has. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[64] = {0}, n, m, k, combiner, integers[8];
    MPI_Aint addresses[8];
    MPI_Datatype inner, outer, again, types[8];
    MPI_Init(&argc, &argv);
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_contiguous(3, inner, &outer);
    for (int i = 0; i < 3; i++) {
        MPI_Type_get_envelope(outer, &n, &m, &k, &combiner);
        MPI_Type_get_contents(outer, n, m, k, integers, addresses, types);
        if (i == 1)
            MPI_Type_free(&inner);
        MPI_Type_dup(types[0], &again);
        MPI_Type_commit(&again);
        MPI_Bcast(a, 1, again, 0, MPI_COMM_SELF);
        MPI_Type_free(&again);
        MPI_Type_commit(&types[0]);
        MPI_Bcast(a, 1, types[0], 0, MPI_COMM_SELF);
        MPI_Type_free(&types[0]);
    }
    MPI_Type_free(&outer);
    MPI_Finalize();
    return 0;
}
