/* MPI_IN_PLACE as the wrong buffer: where data are collected it may replace the send
 * buffer, but never the receive buffer. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 4 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2], counts[2] = {1, 1}, displs[2] = {0, 1};
    void *arrive;
    MPI_Comm comm[FAULTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    arrive = rank == 0 ? MPI_IN_PLACE : to;

    MPI_Gather(from, 1, MPI_INT, arrive, 1, MPI_INT, 0, comm[0]);                /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Gatherv(from, 1, MPI_INT, arrive, counts, displs, MPI_INT, 0, comm[1]);  /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Reduce(from, arrive, 1, MPI_INT, MPI_SUM, 0, comm[2]);                   /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Allreduce(from, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm[3]);             /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may info "LOCAL:MPI:CALL_FAILED" */

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
