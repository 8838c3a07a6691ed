/* Both ranks send first, but with buffered sends, which never wait for the receive. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    static char buffer[100 + MPI_BSEND_OVERHEAD];
    int other = 1 - rank, value = rank, n;
    void *p;
    MPI_Buffer_attach(buffer, sizeof(buffer));
    MPI_Bsend(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&p, &n);
    MPI_Finalize();
    return 0;
}
