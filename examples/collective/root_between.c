/* On an inter-communicator, one process is the root and passes MPI_ROOT, the others of its group pass MPI_PROC_NULL,
 * and the other group passes the rank of the root. Here two processes pass MPI_ROOT. */
/* run: np=3 */
#include <mpi.h>

enum { FAULTS = 4 };

int main(int argc, char **argv)
{
    int rank, first, root, from[2] = {1, 2}, to[2] = {0}, counts[1] = {1}, displs[1] = {0};
    MPI_Comm half, comm[FAULTS];
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank < 2; /* two groups: ranks 0 and 1, and rank 2 */
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    for (int i = 0; i < FAULTS; i++)
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? 2 : 0, i, &comm[i]);
    root = first ? MPI_ROOT : 0;

    MPI_Bcast(from, 1, MPI_INT, root, comm[0]);                                 /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Bcast" count=1 */
    MPI_Scatter(from, 1, MPI_INT, to, 1, MPI_INT, root, comm[1]);               /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Scatter" count=1 */
    MPI_Scatterv(from, counts, displs, MPI_INT, to, 1, MPI_INT, root, comm[2]); /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Scatterv" count=1 */
    MPI_Ibcast(from, 1, MPI_INT, root, comm[3], &r);                            /* want "GLOBAL:COLLECTIVE:ROOT_MISMATCH" "MPI_Ibcast" count=1 */
    MPI_Wait(&r, MPI_STATUS_IGNORE);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
