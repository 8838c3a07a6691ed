/* A derived datatype leads to unmapped memory. Without checksums, mpivet knows this only when the process crashes. */
/* run: np=2 stdout=any */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

int main(int argc, char **argv)
{
    int rank, in[3];
    MPI_Datatype t;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap((char *)pages + PAGE, PAGE);
    MPI_Type_vector(3, 1, 500, MPI_INT, &t);
    MPI_Type_commit(&t);
    if (rank == 0)
        MPI_Send(pages + 100, 1, t, 1, 0, MPI_COMM_WORLD); /* want "LOCAL:MEMORY:INACCESSIBLE" "MPI cannot access the buffer of MPI_Send: the process was killed at datatype\(VECTOR\)\[2\]\[0\]\(INT\)" count=1 ranks=0 may "LOCAL:EXIT:SIGNAL" */
    else
        MPI_Recv(in, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
