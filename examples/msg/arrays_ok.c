/* The layout of the elements does not matter: subarrays, distributed arrays, vectors and
 * indexed types of ints match. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, grid[6][8], flat[24] = {0};
    MPI_Datatype part, dealt, column, scattered, absolute;
    MPI_Aint here;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 48; i++)
        grid[i / 8][i % 8] = i;
    MPI_Type_create_subarray(2, (int[]){6, 8}, (int[]){3, 4}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_create_darray(4, 3, 2, (int[]){6, 8}, (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                           (int[]){MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 2}, MPI_ORDER_C,
                           MPI_INT, &dealt);
    MPI_Type_create_hvector(6, 2, 8 * sizeof(int), MPI_INT, &column);
    MPI_Type_indexed(3, (int[]){2, 0, 10}, (int[]){20, 3, 4}, MPI_INT, &scattered);
    MPI_Get_address(flat, &here);
    MPI_Type_create_hindexed_block(1, 12, &here, MPI_INT, &absolute);
    MPI_Type_commit(&part);
    MPI_Type_commit(&dealt);
    MPI_Type_commit(&column);
    MPI_Type_commit(&scattered);
    MPI_Type_commit(&absolute);
    if (rank == 0) {
        MPI_Send(grid, 1, part, 1, 0, MPI_COMM_WORLD);
        MPI_Send(grid, 1, dealt, 1, 1, MPI_COMM_WORLD);
        MPI_Send(grid, 1, column, 1, 2, MPI_COMM_WORLD);
        MPI_Send(grid, 12, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Send(grid, 1, part, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(flat, 24, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d", flat[11]);
        MPI_Recv(grid, 1, part, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(" %d", grid[3][5]);
        MPI_Recv(flat, 1, scattered, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(" %d", flat[13]);
        MPI_Recv(grid, 2, dealt, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(" %d", grid[5][7]);
        MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(" %d\n", flat[0]);
    }
    MPI_Type_free(&part);
    MPI_Type_free(&dealt);
    MPI_Type_free(&column);
    MPI_Type_free(&scattered);
    MPI_Type_free(&absolute);
    MPI_Finalize();
    return 0;
}
