/* While its message is pending, each rank looks for messages and receives them. No rank only waits in a send. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = 1 - rank, out = rank, in, sent = 0, received = 0, flag;
    MPI_Request request;
    for (int i = 0; i < 50; i++) {
        MPI_Isend(&out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
        sent = received = 0;
        while (!sent || !received) {
            if (!sent)
                MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
            if (!received) {
                MPI_Iprobe(other, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                if (flag) {
                    MPI_Recv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    received = 1;
                }
            }
        }
    }
    MPI_Finalize();
    return 0;
}
