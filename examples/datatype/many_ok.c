/* Less than a hundred datatypes exist at the same time, but there are many more in total. */
/* run: np=1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    enum { N = 90 };
    MPI_Datatype t[N];
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < N; i++)
            MPI_Type_contiguous(i, MPI_INT, &t[i]);
        for (int i = 0; i < N; i++)
            MPI_Type_free(&t[i]);
    }
    MPI_Finalize();
    return 0;
}
