/* Both directions of an exchange have different types: rank 1 receives as signed char what rank 0 sends as char. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    char c = 'a', d;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Sendrecv(&c, 1, MPI_CHAR, 1, 0, &d, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    else
        MPI_Sendrecv(&c, 1, MPI_CHAR, 0, 0, &d, 1, MPI_SIGNED_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_SIGNED_CHAR" count=1 */
    MPI_Finalize();
    return 0;
}
