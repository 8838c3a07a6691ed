/* The receive buffer overlaps the send buffer. Some libraries crash. */
/* run: np=1 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int data[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Scan(data, data + 1, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "element 0 of recvbuf of MPI_Scan \(2 × MPI_INT\), which is element 1 of sendbuf" ranks=0 */
    MPI_Finalize();
    return 0;
}
