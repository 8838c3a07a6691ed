/* The program sends a buffer that it has unmapped before. The process crashes in MPI. */
/* run: np=2 stdout=any */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

int main(int argc, char **argv)
{
    int rank, in[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    munmap(page, PAGE);
    if (rank == 0)
        MPI_Send(page, 4, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "LOCAL:MEMORY:INACCESSIBLE" "MPI cannot read the send buffer of MPI_Send: there is no memory for element 0 of 4 × MPI_INT" count=1 ranks=0 may "LOCAL:EXIT:SIGNAL" */
    else
        MPI_Recv(in, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
