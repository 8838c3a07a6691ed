/* Both ranks send first, again and again. This works only while MPI buffers the messages. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = 1 - rank, value = rank;
    double values[10] = {0};
    for (int i = 0; i < 100; i++) {
        MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Send may wait for rank 1 to receive \(4 bytes\), and rank 1 is itself in MPI_Send to rank 0" count=100 */
        MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Send(values, 10, MPI_DOUBLE, other, 1, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:POTENTIAL" "80 bytes" count=1 */
    MPI_Recv(values, 10, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
