/* MPI_Isendrecv is a send and a receive, and each of them may be wrong. */
/* run: np=2 mpi=mpich stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a[2] = {0}, b[2] = {0};
    float f[2] = {0};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Isendrecv(a, 2, MPI_INT, 1, 0, f, 2, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &r); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_Isendrecv of rank 1 sends 2 × MPI_INT, but MPI_Isendrecv of rank 0.* receives it as 2 × MPI_FLOAT" */
    else
        MPI_Isendrecv(a, 2, MPI_INT, 0, 0, b, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &r); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Isendrecv_replace(a, 2, MPI_INT, 1, 1, 1, 1, MPI_COMM_WORLD, &r); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    else
        MPI_Isendrecv_replace(f, 2, MPI_FLOAT, 0, 1, 0, 1, MPI_COMM_WORLD, &r); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" count=1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
