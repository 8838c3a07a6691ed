/* The two buffers of a call are equal or overlap. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[20] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(data, 10, MPI_INT, 1 - rank, 0, data, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" "MPI_Sendrecv_replace" ranks=0,1 */
    MPI_Sendrecv(data, 10, MPI_INT, 1 - rank, 0, data + 9, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" "element 0 of recvbuf of MPI_Sendrecv \(10 × MPI_INT\), which is element 9 of sendbuf" ranks=0,1 */
    MPI_Finalize();
    return 0;
}
