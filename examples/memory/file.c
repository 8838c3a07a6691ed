/* A buffer receives a message while it is written to a file, and is written to the file while data are read into it. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[8] = {0};
    char name[] = "overlap.dat";
    MPI_File f;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    MPI_File_iwrite_at(f, 32 * rank, data, 8, MPI_INT, &r);
    MPI_Bcast(data + 7, 1, MPI_INT, 0, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Bcast writes to memory that MPI_File_iwrite_at.* is still reading" ranks=1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(f, 32 * rank, data, 8, MPI_INT);
    MPI_Sendrecv_replace(data, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Sendrecv_replace writes to memory that MPI_File_write_at_all_begin.* is still reading" ranks=0,1 */
    MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);
    MPI_File_iread_at(f, 32 * rank, data, 8, MPI_INT, &r);
    MPI_File_write_at(f, 100 + rank, data, 1, MPI_BYTE, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_File_write_at reads memory that MPI_File_iread_at.* is still filling" ranks=0,1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
