/* The program crashes inside MPI, because it has passed a bad buffer. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send((void *)64, 4, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "LOCAL:EXIT:SIGNAL" "SIGSEGV(.|\n)*MPI_Send" ranks=0 */ /* want error "LOCAL:MEMORY:INACCESSIBLE" "0x40" ranks=0 */
    else
        MPI_Recv(value, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
