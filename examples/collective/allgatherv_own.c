/* Rank 1 sends a float, but all ranks, including itself, expect an integer from it. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[4], counts[2] = {1, 1}, displs[2] = {0, 2};
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Allgatherv(from, 1, rank == 0 ? MPI_INT : MPI_FLOAT, to, counts, displs, MPI_INT, comm); /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "ank 1 passes 1 × MPI_FLOAT to send, but 1 × MPI_INT" count=1 ranks=1 */
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
