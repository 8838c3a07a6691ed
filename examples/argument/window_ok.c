/* Arguments that one-sided operations allow: MPI_PROC_NULL as the target, predefined operations, dynamic windows. */
/* run: np=2 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, result = 0, memory[4] = {0};
    MPI_Aint at[2];
    MPI_Win win, dynamic;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Accumulate(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Accumulate(&value, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, MPI_BXOR, win);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, win);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, memory, sizeof memory);
    MPI_Get_address(memory, &at[0]);
    MPI_Sendrecv(&at[0], 1, MPI_AINT, 1 - rank, 0, &at[1], 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, dynamic);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, at[1], 1, MPI_INT, dynamic);
    MPI_Win_fence(0, dynamic);
    MPI_Win_detach(dynamic, memory);
    MPI_Win_free(&dynamic);
    MPI_Finalize();
    return 0;
}
