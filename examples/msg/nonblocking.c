/* The mismatch is between the calls that started the transfers, not between those that completed them. It happens ten
 * times at the same place and is one finding. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double d = 1;
    long l;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Isend(&d, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" count=10 */
        else
            MPI_Irecv(&l, 1, MPI_LONG, 0, i, MPI_COMM_WORLD, &request); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_DOUBLE(.|\n)*MPI_LONG" */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
