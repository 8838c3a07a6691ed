/* Topologies whose arguments look different and agree. Logical arguments are true if they are not 0, weights may
 * differ, and each rank describes its own edges of a distributed graph. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, other, newrank, degree = 1;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[2]){2, 1}, (int[2]){1 + rank, 0}, 0, &comm);
    MPI_Comm_free(&comm);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){1}, (int[1]){0}, 0, &comm); /* rank 1 is not in this grid */
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    MPI_Cart_map(MPI_COMM_WORLD, 1, (int[1]){2}, (int[1]){0}, &newrank);
    MPI_Graph_create(MPI_COMM_WORLD, 2, (int[2]){1, 2}, (int[2]){1, 0}, 0, &comm);
    MPI_Comm_free(&comm);
    MPI_Graph_map(MPI_COMM_WORLD, 2, (int[2]){1, 2}, (int[2]){1, 0}, &newrank);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &other, (int[1]){rank + 5}, MPI_INFO_NULL, 0, &comm);
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, (int[1]){rank ? 3 : 4}, 1, &other, (int[1]){rank ? 4 : 3},
                                   MPI_INFO_NULL, 0, &comm);
    MPI_Comm_free(&comm);
    printf("rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
