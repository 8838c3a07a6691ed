/* The program changes the buffers of file, window and reduction operations only when they are complete. Before that it
 * changes only memory that the operations do not read. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, in[4] = {0}, data[4] = {1, 2, 3, 4}, counts[2] = {3, 1}, *memory;
    MPI_Request r;
    MPI_File file;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "modified_apart_ok.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_iwrite_at(file, 16 * rank, data, 3, MPI_INT, &r);
    data[3]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    data[0]++;
    MPI_File_iwrite_at_all(file, 16 * rank, data, 4, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    data[0]++;
    MPI_File_iread_at(file, 16 * rank, data, 4, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    printf("%d\n", data[0]);

    MPI_Win_allocate(sizeof data, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(data, 4, MPI_INT, rank, 0, 4, MPI_INT, win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    data[0]++;
    MPI_Rput(data, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win, &r);
    data[0]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Rput(data, 4, MPI_INT, rank, 0, 4, MPI_INT, win, &r);
    MPI_Win_flush_local(rank, win); /* after this, the program may change the buffer */
    data[0]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Rget(data, 4, MPI_INT, rank, 0, 4, MPI_INT, win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(data, 4, MPI_INT, in, 4, MPI_INT, rank, 0, 4, MPI_INT, MPI_NO_OP, win, &r);
    data[1]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    printf("%d %d\n", data[0], in[3]);

    MPI_Ireduce_scatter(data, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    data[0]++;
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, data, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    printf("%d %d\n", in[0], data[1]);
    MPI_Finalize();
    return 0;
}
