/* Rank 0 sends before a broadcast what rank 1 receives after it (the benchmark HPCC did so). */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 102, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Send may wait for rank 1 to receive \(4 bytes\), and rank 1 is itself in MPI_Bcast.*: ranks 0,1 would be" ranks=0,1 */
    MPI_Bcast(&value, 1, MPI_INT, 3, MPI_COMM_WORLD); /* want "GLOBAL:DEADLOCK:POTENTIAL" "MPI_Send may wait for rank 1 to receive \(4 bytes\), and rank 1 is itself in MPI_Bcast.*: ranks 0,1 would be" */
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 102, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
