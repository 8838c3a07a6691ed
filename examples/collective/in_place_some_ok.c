/* Functions that allow MPI_IN_PLACE on some ranks only: scans, and MPI_Reduce_scatter, where a rank that receives
 * nothing may have no receive buffer. With MPI_IN_PLACE, the count and the datatype have no meaning. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, one = 1, mine, sum = 1, before = 1, parts[3] = {2, 0, 1}, all[3], request_sum = 1;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Scan(rank == 1 ? MPI_IN_PLACE : &one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(rank == 2 ? MPI_IN_PLACE : &one, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iscan(rank == 0 ? MPI_IN_PLACE : &one, &request_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    printf("rank %d: %d %d %d\n", rank, sum, rank == 0 ? 0 : before, request_sum);

    for (int i = 0; i < 3; i++)
        all[i] = rank + i;
    if (rank == 1)
        MPI_Reduce_scatter(all, NULL, parts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Reduce_scatter(MPI_IN_PLACE, all, parts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, all[0]);

    mine = 10 * rank;
    for (int root = 0; root < 3; root++) {
        int gathered[3] = {0};
        gathered[root] = mine;
        if (rank == root)
            MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, gathered, 1, MPI_INT, root, MPI_COMM_WORLD);
        else
            MPI_Gather(&mine, 1, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        if (rank == root)
            printf("rank %d: %d %d %d\n", rank, gathered[0], gathered[1], gathered[2]);
    }
    MPI_Finalize();
    return 0;
}
