/* Persistent collectives, made in the same order on all ranks. They are started several times and in any order, with
 * other collectives in between and with different data each time. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif

int main(int argc, char **argv)
{
    int rank, value = 0, all[3] = {0}, sum = 0, around[2] = {0}, total = 0;
    MPI_Comm ring;
    MPI_Request r[5];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){3}, (int[1]){1}, 0, &ring);
    int mine[2] = {rank, 10 + rank};
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Bcast_init(&value, 1, MPI_INT, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    if (rank == 0)
        MPI_Gather_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]);
    else
        MPI_Gather_init(&rank, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[3]);
    MPI_Neighbor_alltoall_init(mine, 1, MPI_INT, around, 1, MPI_INT, ring, MPI_INFO_NULL, &r[4]);
    for (int i = 0; i < 4; i++) {
        if (rank == 2)
            value = i;
        MPI_Startall(5, r);
        MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Start(&r[3]);
        MPI_Wait(&r[3], MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d %d %d %d %d\n", rank, value, all[2], sum, around[0], total);
    for (int i = 4; i >= 0; i--)
        MPI_Request_free(&r[i]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
