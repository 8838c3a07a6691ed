/* Two attached buffers, a too small one, one detach too many; persistent and nonblocking sends that do not fit. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, n, data[1000] = {0}, bad = 0;
    char *a = malloc(10000), *b = malloc(10000);
    void *p;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Buffer_attach(a, 1000 + MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(b, 2000 + MPI_BSEND_OVERHEAD); /* want "LOCAL:BUFFER:INSUFFICIENT" "another buffer is attached" */
        bad = MPI_Ibsend(data, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD, &r); /* want "LOCAL:BUFFER:INSUFFICIENT" "message of 4000 bytes" */
        if (bad)
            MPI_Send(data, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Bsend_init(data, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
        bad = MPI_Start(&r); /* want "LOCAL:BUFFER:INSUFFICIENT" "MPI_Start for a message of 4000 bytes" */
        if (bad)
            MPI_Send(data, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Request_free(&r);
        MPI_Buffer_detach(&p, &n);
        MPI_Buffer_detach(&p, &n); /* want warning "LOCAL:BUFFER:INSUFFICIENT" "no buffer is attached" */
        bad = MPI_Buffer_attach(a, 10); /* want warning "LOCAL:BUFFER:INSUFFICIENT" "too small even for an empty message" */
        if (!bad)
            MPI_Buffer_detach(&p, &n);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Recv(data, 1000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
