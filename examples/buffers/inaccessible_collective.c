/* Collective and file operations with buffers that the process cannot access. The first one succeeds, because it reads
 * no data from the file. The second one ends the process. */
/* run: np=2 stdout=any */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

int main(int argc, char **argv)
{
    int rank, few[4] = {1, 2, 3, 4};
    MPI_File f;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + PAGE, PAGE, PROT_NONE);
    /* reading from /dev/null delivers no data */
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
    MPI_File_read(f, pages + PAGE - 8, 4, MPI_INT, MPI_STATUS_IGNORE); /* want "LOCAL:MEMORY:INACCESSIBLE" "MPI cannot write to the receive buffer of MPI_File_read: the memory for element 2 of 4 × MPI_INT is not" count=2 ranks=0,1 */
    MPI_File_close(&f);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Bcast(pages + PAGE, 4, MPI_INT, 0, MPI_COMM_WORLD); /* want "LOCAL:MEMORY:INACCESSIBLE" "MPI cannot read the send buffer of MPI_Bcast: the memory for element 0 of 4 × MPI_INT is not readable" count=1 ranks=0 may "LOCAL:EXIT:SIGNAL" */
    else
        MPI_Bcast(few, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
