/* Rank 0 polls for a message that rank 1 never sends. Rank 1 has finished. */
/* run: np=2 flags="--no-progress=1s" */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        double end = MPI_Wtime() + 8;
        while (!flag && MPI_Wtime() < end)
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* want warning "GLOBAL:DEADLOCK:NO_PROGRESS" "MPI_Iprobe polls for rank 1 to send \(tag=0, MPI_COMM_WORLD\), but this can never happen" ranks=0 */
    }
    MPI_Finalize();
    return 0;
}
