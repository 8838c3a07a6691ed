/* Persistent collectives that are made with different roots. The error is in the call that makes them, so there is one
 * finding for each, however often they are started. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Scatter_init MPIX_Scatter_init
#define MPI_Scatterv_init MPIX_Scatterv_init
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Gatherv_init MPIX_Gatherv_init
#define MPI_Reduce_init MPIX_Reduce_init
#endif

enum { FAULTS = 6 };

int main(int argc, char **argv)
{
    int rank, other, from[2] = {1, 2}, to[2] = {0}, counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Comm comm[FAULTS];
    MPI_Request r[FAULTS];
    MPI_Info none = MPI_INFO_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);

    MPI_Bcast_init(from, 1, MPI_INT, rank, comm[0], none, &r[0]);                                     /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "Bcast_init" count=1 ranks=0,1 */
    MPI_Scatter_init(from, 1, MPI_INT, &to[0], 1, MPI_INT, rank, comm[1], none, &r[1]);               /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "Scatter_init" count=1 ranks=0,1 */
    MPI_Scatterv_init(from, counts, displs, MPI_INT, &to[1], 1, MPI_INT, rank, comm[2], none, &r[2]); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "Scatterv_init" count=1 ranks=0,1 */
    MPI_Gather_init(from, 1, MPI_INT, NULL, 1, MPI_INT, other, comm[3], none, &r[3]);                 /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "Gather_init" count=1 ranks=0,1 */
    MPI_Gatherv_init(from, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, other, comm[4], none, &r[4]);       /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "Gatherv_init" count=1 ranks=0,1 */
    MPI_Reduce_init(from, NULL, 1, MPI_INT, MPI_SUM, other, comm[5], none, &r[5]);                    /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "Reduce_init" count=1 ranks=0,1 */
    for (int i = 0; i < 2; i++) {
        MPI_Startall(FAULTS, r);
        MPI_Waitall(FAULTS, r, MPI_STATUSES_IGNORE);
    }

    for (int i = 0; i < FAULTS; i++) {
        MPI_Request_free(&r[i]);
        MPI_Comm_free(&comm[i]);
    }
    MPI_Finalize();
    return 0;
}
