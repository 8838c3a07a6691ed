/* The target datatype is not committed. MPI returns an error. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int a[8] = {0}, b[8] = {0};
    MPI_Datatype t;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(2, 1, 2, MPI_INT, &t);
    MPI_Win_create(b, sizeof b, sizeof *b, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    MPI_Put(a, 2, MPI_INT, 0, 0, 1, t, win); /* want "LOCAL:DATATYPE:NOT_COMMITTED" "target_datatype" */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
