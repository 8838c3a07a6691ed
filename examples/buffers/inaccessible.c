/* Receive buffers that the process cannot write to, or only in part. Nothing goes wrong, because one receive is
 * cancelled and the message of the other one is short. */
/* run: np=2 stdout=any */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

int main(int argc, char **argv)
{
    int rank, few[4] = {1, 2, 3, 4};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + PAGE, PAGE, PROT_READ);
    munmap(pages + 3 * PAGE, PAGE);
    if (rank == 0) {
        MPI_Send(few, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(pages + 2 * PAGE, PAGE, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "LOCAL:MEMORY:INACCESSIBLE" "MPI cannot write to the receive buffer of MPI_Recv: there is no memory for element 1024 of 4096 × MPI_INT" count=1 ranks=1 */
        for (int i = 0; i < 2; i++) {
            MPI_Irecv(pages + PAGE + 8, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &r); /* want "LOCAL:MEMORY:INACCESSIBLE" "MPI cannot write to the receive buffer of MPI_Irecv: the memory for element 0 of 2 × MPI_INT is not writable" count=2 ranks=1 */
            MPI_Cancel(&r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
