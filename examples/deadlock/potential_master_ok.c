/* A master receives with wildcards and probes from any worker. The workers send before they receive. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, got = 0, flag;
    MPI_Status status;
    for (int round = 0; round < 20; round++) {
        if (rank > 0) {
            MPI_Send(&value, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            for (int i = 1; i < size; i++) {
                switch (round % 4) {
                case 0:
                    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status); /* want info "GLOBAL:MSG:RACE" */
                    break;
                case 1:
                    MPI_Probe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
                    MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
                    break;
                case 2:
                    do
                        MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &flag, &status);
                    while (!flag);
                    MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
                    break;
                default: {
                    MPI_Message message;
                    MPI_Mprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &message, &status);
                    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
                }
                }
                MPI_Send(&got, 1, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
