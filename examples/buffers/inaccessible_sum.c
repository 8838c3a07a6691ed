/* The same with checksums: reading the buffer for a checksum must not crash the process. Also a nonblocking send whose
 * buffer is unmapped before the send is complete. */
/* run: np=2 flags="--checksums" stdout=any */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 };

int main(int argc, char **argv)
{
    int rank, in[4];
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[0] = 1;
    if (rank == 0) {
        MPI_Isend(pages, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
        MPI_Barrier(MPI_COMM_WORLD);
        munmap(pages, SIZE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Send((char *)pages + SIZE / 2, 4, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "LOCAL:MEMORY:INACCESSIBLE" "MPI cannot (read|access) the (send )?buffer of MPI_Send: (there is no memory for|the process was killed at) element 0 of 4 × MPI_INT" count=1 ranks=0 may "LOCAL:EXIT:SIGNAL" */
    } else {
        MPI_Recv(in, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(in, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
