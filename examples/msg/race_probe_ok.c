/* Messages of different lengths and types come from any rank in any order. The receiver probes
 * for each message before it receives it. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, count, data[8] = {0};
    double x = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < 2 * size - 1; i++) {
            if (i % 2) {
                MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                if (status.MPI_TAG == 1) {
                    MPI_Recv(&x, 1, MPI_DOUBLE, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    continue;
                }
                MPI_Get_count(&status, MPI_INT, &count);
                MPI_Recv(data, count, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
                if (status.MPI_TAG == 1) {
                    MPI_Mrecv(&x, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
                    continue;
                }
                MPI_Get_count(&status, MPI_INT, &count);
                MPI_Mrecv(data, count, MPI_INT, &message, MPI_STATUS_IGNORE);
            }
        }
    } else {
        MPI_Send(data, rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
