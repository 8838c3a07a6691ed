/* A one-sided epoch names a process that is not in the group of the window. MPI may crash or wait forever. */
/* run: np=3 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, memory = 0;
    MPI_Group world, last;
    MPI_Comm pair;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[1]){2}, &last);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &pair);
    if (pair != MPI_COMM_NULL) {
        MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, pair, &win);
        if (rank == 0)
            MPI_Win_post(last, 0, win); /* want error "LOCAL:MPI:INVALID_ARGUMENT" "has processes that are not in the group of the window: rank 2 of MPI_COMM_WORLD" ranks=0 may "LOCAL:EXIT:SIGNAL" */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
