/* Correct neighbourhood collectives where a process may be a neighbour several times or not at all: grids with open
 * ends, grids with one or two processes in a dimension (a process is its own neighbour, or has the same neighbour
 * twice), and graphs with several edges between two processes. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, from[8], to[8];
    MPI_Comm ring, line, torus, graph, lopsided;
    MPI_Datatype pair;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 8; i++)
        from[i] = 10 * rank + i, to[i] = -1;

    /* A ring. The ranks describe the same data by different datatypes. */
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){size}, (int[1]){1}, 0, &ring);
    MPI_Neighbor_allgather(from, rank == 1 ? 1 : 2, rank == 1 ? pair : MPI_INT, to, 1, pair, ring);
    printf("rank %d: %d %d\n", rank, to[0], to[2]);
    /* One integer to the left, two integers to the right. */
    MPI_Neighbor_alltoallv(from, (int[2]){1, 2}, (int[2]){0, 2}, MPI_INT, to, (int[2]){2, 1}, (int[2]){4, rank},
                           MPI_INT, ring);
    printf("rank %d: %d %d\n", rank, to[4], to[rank]);
    MPI_Comm_free(&ring);

    /* A line. The ends have no neighbour on one side, and their arguments for that side are not significant. */
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){size}, (int[1]){0}, 0, &line);
    MPI_Neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, line);
    printf("rank %d: %d %d\n", rank, rank > 0 ? to[0] : -1, rank < 2 ? to[1] : -1);
    MPI_Neighbor_alltoallw(from, (int[2]){rank > 0, rank < 2}, (MPI_Aint[2]){0, 4},
                           (MPI_Datatype[2]){MPI_INT, MPI_FLOAT}, to, (int[2]){rank > 0, rank < 2},
                           (MPI_Aint[2]){8, 12}, (MPI_Datatype[2]){MPI_FLOAT, MPI_INT}, line);
    MPI_Comm_free(&line);

    /* Three rows of one column, periodic in both dimensions. In a row, each process is
     * its own neighbour on both sides. */
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[2]){3, 1}, (int[2]){1, 1}, 0, &torus);
    MPI_Neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, torus);
    printf("rank %d: %d %d %d %d\n", rank, to[0], to[1], to[2], to[3]);
    MPI_Ineighbor_allgatherv(from, 1, MPI_INT, to, (int[4]){1, 1, 1, 1}, (int[4]){0, 1, 2, 3}, MPI_INT, torus, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_free(&torus);

    /* Ranks 0 and 1 have two edges to each other. Rank 2 has one edge to itself. */
    MPI_Graph_create(MPI_COMM_WORLD, 3, (int[3]){2, 4, 5}, (int[5]){1, 1, 0, 0, 2}, 0, &graph);
    MPI_Neighbor_allgather(from, 1, MPI_INT, to, 1, MPI_INT, graph);
    printf("rank %d: %d\n", rank, to[0]);
    MPI_Comm_free(&graph);

    /* Rank 0 sends to rank 1 twice, with different weights, and to rank 2 once. No process sends to rank 0.
     * Each rank may describe any of the edges. */
    if (rank == 0)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 3, (int[3]){1, 2, 1},
                                       (int[3]){3, 4, 5}, MPI_INFO_NULL, 0, &lopsided);
    else
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3 - rank, (int[2]){0, 0},
                                       rank == 1 ? (int[2]){5, 3} : (int[1]){4}, 0, NULL, MPI_WEIGHTS_EMPTY,
                                       MPI_INFO_NULL, 0, &lopsided);
    MPI_Neighbor_allgather(from, 2, MPI_INT, to, 2, MPI_INT, lopsided);
    printf("rank %d: %d\n", rank, rank == 0 ? 0 : to[1]);
    MPI_Comm_free(&lopsided);
    if (rank == 1)
        MPI_Dist_graph_create(MPI_COMM_WORLD, 2, (int[2]){0, 2}, (int[2]){1, 2}, (int[3]){1, 1, 0}, MPI_UNWEIGHTED,
                              MPI_INFO_NULL, 0, &lopsided);
    else
        MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &lopsided);
    MPI_Neighbor_allgather(from, 1, MPI_INT, to, 1, MPI_INT, lopsided);
    MPI_Comm_free(&lopsided);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
