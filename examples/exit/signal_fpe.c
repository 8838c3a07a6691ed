/* An integer division by zero raises SIGFPE. The program did not send this signal to itself. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, share = 0;
    volatile int workers = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        share = 1000 / workers; /* want "LOCAL:EXIT:SIGNAL" "SIGFPE" ranks=0 */
    MPI_Bcast(&share, 1, MPI_INT, 0, MPI_COMM_WORLD); /* may "GLOBAL:DEADLOCK:HARD" */
    printf("share %d\n", share);
    MPI_Finalize();
    return 0;
}
