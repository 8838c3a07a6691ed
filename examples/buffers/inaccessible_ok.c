/* Buffers that only look inaccessible: no data are sent, or the peer is MPI_PROC_NULL; constants; parts of the stack
 * that are not used yet; new mappings at an old address; derived datatypes whose gaps have no memory. */
/* run: np=2 flags="--checksums" */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, FAR = 3 << 20 };

static const int constant[4] = {1, 2, 3, 4};
static int rank;

static char *pages(void *at, int n)
{
    return mmap(at, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1,
                0);
}

static __attribute__((noinline)) int on_the_stack(void)
{
    char far[FAR];
    if (rank) {
        MPI_Recv(far, FAR, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return far[0];
    }
    MPI_Send("far", 4, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    return 0;
}

int main(int argc, char **argv)
{
    int in[4] = {0};
    MPI_Datatype t;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *gone = pages(NULL, 4);
    munmap(gone, 4 * PAGE);
    MPI_Send(gone, 100, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(gone, 100, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(gone, 0, MPI_INT, 1 - rank, 0, gone, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int sum = on_the_stack();
    for (int i = 0; i < 20; i++) {
        char *page = pages(i % 3 ? gone : NULL, 1);
        *(int *)page = i;
        if (rank == i % 2)
            MPI_Send(page, PAGE / 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(page, PAGE / 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        munmap(page, PAGE);
        char *heap = malloc((size_t)(i + 1) << 16);
        MPI_Sendrecv(constant, 4, MPI_INT, 1 - rank, 0, heap, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        sum += heap[4];
        free(heap);
    }
    /* page 1 of 3, which is unmapped, lies in a gap */
    char *three = pages(NULL, 3);
    munmap(three + PAGE, PAGE);
    MPI_Type_vector(2, PAGE, 2 * PAGE, MPI_CHAR, &t);
    MPI_Type_commit(&t);
    MPI_Irecv(three, 1, t, 1 - rank, 2, MPI_COMM_WORLD, &r);
    MPI_Send("near", 5, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Type_free(&t);
    MPI_Sendrecv(constant, 4, MPI_INT, 1 - rank, 3, in, 4, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank)
        printf("%d\n", sum + in[3]);
    MPI_Finalize();
    return 0;
}
