/* One-sided operations with wrong targets, wrong operations and wrong locks. */
/* run: np=2 */
#include <mpi.h>

static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)out)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int value = 1, result = 0, memory[4] = {0};
    MPI_Win win;
    MPI_Op mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Op_create(add, 1, &mine);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);                             /* want error "LOCAL:MPI:INVALID_ARGUMENT" "rank=2, which is not a rank of the window" */
    MPI_Win_lock(4711, 0, 0, win);                                        /* want error "LOCAL:MPI:INVALID_ARGUMENT" "lock_type=4711, which is not one of" */
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, win);                   /* want error "LOCAL:MPI:INVALID_ARGUMENT" "target_rank=2, which is not a rank of the window: ranks go from 0 to 1" */
    MPI_Get(&value, 1, MPI_INT, 0, 0, -1, MPI_INT, win);                  /* want error "LOCAL:MPI:INVALID_ARGUMENT" "target_count=-1" */
    MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, mine, win);      /* want error "LOCAL:MPI:INVALID_ARGUMENT" "a user-defined operation" */
    MPI_Fetch_and_op(&value, &result, MPI_FLOAT, 0, 0, MPI_BAND, win);    /* want error "LOCAL:MPI:INVALID_ARGUMENT" "op=MPI_BAND, which is not defined on MPI_FLOAT" may "LOCAL:EXIT:SIGNAL" */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Op_free(&mine);
    MPI_Finalize();
    return 0;
}
