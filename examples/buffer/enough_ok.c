/* The attached buffer is exactly large enough: for one message at a time, for MPI_PROC_NULL, and for derived datatypes.
 * The program detaches a buffer and attaches another one. */
/* run: np=2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, n, data[1000] = {0}, size;
    MPI_Datatype column;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bsend(data, 1000, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Type_vector(100, 1, 10, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int round = 0; round < 3; round++) {
        MPI_Pack_size(round == 1 ? 1 : 100, round == 1 ? column : MPI_INT, MPI_COMM_WORLD, &n);
        size = n + MPI_BSEND_OVERHEAD;
        void *buffer = malloc(size);
        MPI_Buffer_attach(buffer, size);
        if (rank == 0 && round == 0) {
            MPI_Bsend(data, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&n, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 0 && round == 1) {
            MPI_Ibsend(data, 1, column, 1, 0, MPI_COMM_WORLD, &r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            MPI_Recv(&n, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Bsend_init(data, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
            MPI_Start(&r);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            MPI_Request_free(&r);
            MPI_Recv(&n, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&n, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        MPI_Buffer_detach(&buffer, &size);
        free(buffer);
    }
    size = 100 + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(size);
    MPI_Buffer_attach(buffer, size);
    for (int i = 0; i < 10; i++) {
        MPI_Bsend(data, 25, MPI_INT, 0, i, MPI_COMM_SELF);
        MPI_Recv(data, 25, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Finalize(); /* detaches the buffer */
    free(buffer);
    return 0;
}
