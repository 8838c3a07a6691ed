/* In MPI_Intercomm_create, the peer communicator, the remote leader and the tag are significant only at the leaders. In
 * MPI_Intercomm_merge, both groups may pass the same value of `high`. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, first, size, leader;
    MPI_Comm half, inter, twin, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = rank != 1; /* two groups: ranks 0 and 2, and rank 1 */
    MPI_Comm_split(MPI_COMM_WORLD, first, -rank, &half);
    leader = first ? 1 : 0; /* rank 0 is the second process of its group */
    if (rank == 2)
        MPI_Intercomm_create(half, 1, MPI_COMM_NULL, -12345, 77777, &inter);
    else
        MPI_Intercomm_create(half, leader, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 9, &inter);
    for (int high = 0; high < 3; high++) {
        int mine = high == 2 ? first : high;
        MPI_Intercomm_merge(inter, mine, &all);
        MPI_Comm_size(all, &size);
        printf("rank %d: %d\n", rank, size);
        MPI_Comm_free(&all);
    }
    MPI_Comm_dup(inter, &twin);
    MPI_Comm_free(&twin);
    MPI_Comm_split(inter, 0, rank, &twin);
    MPI_Barrier(twin);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
