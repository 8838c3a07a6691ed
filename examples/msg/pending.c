/* Four messages are sent and three are received. That the last one is lost is clear only when the program ends. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH from 4.1 on lets MPI_Finalize fail */
    if (rank == 0)
        for (int i = 0; i < 4; i++)
            MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:PENDING" "never received(?s:.*)received 3 of the 4 messages" count=1 ranks=0,1 */
    else if (rank == 1)
        for (int i = 0; i < 3; i++)
            MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
