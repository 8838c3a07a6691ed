/* The root expects one element less from each process than they send, except for the last one. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, counts[4] = {25, 25, 25, 25}, displs[4] = {0, 30, 60, 90};
    double part[30] = {0}, all[120];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Gatherv(part, rank < 3 ? 26 : 25, MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" "rank 0 expects 25 × MPI_DOUBLE from each of ranks 0-2, but they send 26" ranks=0,1,2 may "LOCAL:MPI:CALL_FAILED" */
    MPI_Finalize();
    return 0;
}
