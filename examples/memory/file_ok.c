/* One buffer is written to a file, receives messages and is read from a file, each after the operation before it. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0};
    char name[] = "overlap_ok.dat";
    MPI_File f;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    for (int i = 0; i < 5; i++) {
        MPI_File_iwrite_at(f, 32 * rank, data, 8, MPI_INT, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Bcast(data, 8, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_File_write_at_all_begin(f, 32 * rank, data, 8, MPI_INT);
        MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(data, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_File_read_at_all_begin(f, 32 * rank, data, 4, MPI_INT);
        MPI_Bcast(data + 4, 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_File_read_at_all_end(f, data, MPI_STATUS_IGNORE);
        MPI_File_iread_at(f, 32 * rank, data, 4, MPI_INT, &r);
        MPI_File_write_at(f, 100, data + 4, 4, MPI_INT, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_File_read_at(f, 32 * rank, data, 8, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
