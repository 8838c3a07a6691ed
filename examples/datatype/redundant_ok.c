/* A helper commits its datatype only once. The next datatype under the same handle needs a commit, too. */
/* run: np=1 */
#include <mpi.h>

static MPI_Datatype type(int n)
{
    static MPI_Datatype t;
    static int made;
    if (made != n) {
        if (made)
            MPI_Type_free(&t);
        MPI_Type_contiguous(n, MPI_INT, &t);
        MPI_Type_commit(&t);
        made = n;
    }
    return t;
}

int main(int argc, char **argv)
{
    int a[8] = {0};
    MPI_Init(&argc, &argv);
    for (int n = 1; n < 4; n++) {
        MPI_Bcast(a, 1, type(n), 0, MPI_COMM_SELF);
        MPI_Bcast(a, 1, type(n), 0, MPI_COMM_SELF);
    }
    MPI_Datatype last = type(3);
    MPI_Type_free(&last);
    MPI_Finalize();
    return 0;
}
