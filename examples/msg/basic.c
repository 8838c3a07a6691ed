/* An int is sent and a float is received. The bits arrive, but their meaning changes. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, i = 1;
    float f;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    else
        MPI_Recv(&f, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_INT(.|\n)*MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Finalize();
    return 0;
}
