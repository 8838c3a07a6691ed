/* Two pending receives share the last element of the first buffer. It is undefined which message this element has. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[20], out[10] = {0};
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(in, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(in + 9, 10, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[1]); /* want error "LOCAL:MEMORY:OVERLAP" "element 0 of buf of MPI_Irecv \(10 × MPI_INT\), which is element 9 of buf of MPI_Irecv" ranks=0,1 */
    MPI_Send(out, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Send(out, 10, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
