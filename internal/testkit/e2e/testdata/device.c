/* Passes memory of a device to MPI. The process cannot access it; an MPI with support for the device could. mpivet must
 * not touch it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer);

int main(int argc, char **argv)
{
    int rank;
    unsigned kind;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *device = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!cuPointerGetAttribute(&kind, 2, (unsigned long long)device)) {
        MPI_Irecv(device, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r);
        MPI_Cancel(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
