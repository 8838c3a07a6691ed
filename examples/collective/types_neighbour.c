/* Neighbourhood collectives on a ring of two ranks: blocking, nonblocking and persistent. The data that a process sends
 * must have the type that its neighbour receives. */
/* run: np=2 */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Neighbor_allgather_init MPIX_Neighbor_allgather_init
#define MPI_Neighbor_allgatherv_init MPIX_Neighbor_allgatherv_init
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define MPI_Neighbor_alltoallv_init MPIX_Neighbor_alltoallv_init
#define MPI_Neighbor_alltoallw_init MPIX_Neighbor_alltoallw_init
#endif

enum { FAULTS = 15 };

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[10][2], counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Aint bytes[2] = {0, 4};
    MPI_Comm ring, comm[FAULTS];
    MPI_Datatype mine, mines[2], ints[2] = {MPI_INT, MPI_INT};
    MPI_Request r[10];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = mines[0] = mines[1] = rank == 0 ? MPI_INT : MPI_FLOAT;
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){2}, (int[1]){1}, 0, &ring);
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_dup(ring, &comm[i]);

    MPI_Neighbor_allgather(from, 1, mine, to[0], 1, MPI_INT, comm[0]);                                                    /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_allgatherv(from, 1, mine, to[0], counts, displs, MPI_INT, comm[1]);                                      /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoall(from, 1, mine, to[0], 1, mine, comm[2]);                                                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoallv(from, counts, displs, mine, to[0], counts, displs, mine, comm[3]);                             /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoallw(from, counts, bytes, mines, to[0], counts, bytes, ints, comm[4]);                              /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */

    MPI_Ineighbor_allgather(from, 1, mine, to[0], 1, MPI_INT, comm[5], &r[0]);                                            /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ineighbor_allgatherv(from, 1, mine, to[1], counts, displs, MPI_INT, comm[6], &r[1]);                              /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ineighbor_alltoall(from, 1, mine, to[2], 1, mine, comm[7], &r[2]);                                                /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ineighbor_alltoallv(from, counts, displs, mine, to[3], counts, displs, mine, comm[8], &r[3]);                     /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Ineighbor_alltoallw(from, counts, bytes, mines, to[4], counts, bytes, ints, comm[9], &r[4]);                      /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Waitall(5, r, MPI_STATUSES_IGNORE);

    MPI_Neighbor_allgather_init(from, 1, mine, to[5], 1, MPI_INT, comm[10], MPI_INFO_NULL, &r[5]);                        /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_allgatherv_init(from, 1, mine, to[6], counts, displs, MPI_INT, comm[11], MPI_INFO_NULL, &r[6]);          /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoall_init(from, 1, mine, to[7], 1, mine, comm[12], MPI_INFO_NULL, &r[7]);                            /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoallv_init(from, counts, displs, mine, to[8], counts, displs, mine, comm[13], MPI_INFO_NULL, &r[8]); /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Neighbor_alltoallw_init(from, counts, bytes, mines, to[9], counts, bytes, ints, comm[14], MPI_INFO_NULL, &r[9]);  /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "MPI_FLOAT" count=1 ranks=0,1 */
    MPI_Startall(5, r + 5);
    MPI_Waitall(5, r + 5, MPI_STATUSES_IGNORE);
    for (int i = 5; i < 10; i++)
        MPI_Request_free(&r[i]);

    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
