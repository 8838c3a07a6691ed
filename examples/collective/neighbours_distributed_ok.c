/* Graphs whose edges are described by other processes. MPI chooses the order of the neighbours, so the program asks for
 * it, or all parts are alike. There are several edges between two processes, edges from a process to itself, and
 * processes without edges. MPI may renumber the processes. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, me, in, out, weighted, from[16], to[48], counts[16], places[16], apart[16], sources[16], targets[16],
        weights[16];
    MPI_Comm graph, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 16; i++)
        from[i] = 100 * rank + i, to[i] = -1, places[i] = i, apart[i] = 3 * i;

    /* Each rank describes the edges of its left neighbour: one to the right and two to itself. Rank 3 also describes
     * some edges of rank 1: two to rank 2 and one to rank 3. */
    for (int reorder = 0; reorder < 2; reorder++) {
        int left = (rank + 3) % 4, n = rank == 3 ? 2 : 1;
        MPI_Dist_graph_create(MPI_COMM_WORLD, n, (int[2]){left, 1}, (int[2]){3, 3}, (int[6]){rank, left, left, 2, 3, 2},
                              MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &graph);
        MPI_Neighbor_allgather(from, 1, MPI_INT, to, 1, MPI_INT, graph);
        MPI_Neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, graph);

        /* Each process sends as many integers to a neighbour as that neighbour's rank. */
        MPI_Comm_rank(graph, &me);
        MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
        MPI_Dist_graph_neighbors(graph, in, sources, weights, out, targets, weights);
        for (int i = 0; i < in; i++)
            counts[i] = me;
        MPI_Neighbor_alltoallv(from, targets, places, MPI_INT, to, counts, apart, MPI_INT, graph);
        MPI_Comm_dup(graph, &copy);
        MPI_Neighbor_alltoallv(from, targets, places, MPI_INT, to, counts, apart, MPI_INT, copy);
        MPI_Comm_free(&copy);
        MPI_Comm_free(&graph);
    }
    printf("rank %d: %d in, %d out\n", rank, in, out);

    /* Rank 2 describes all edges. Only ranks 0 and 1 have neighbours. */
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 2 ? 2 : 0, (int[2]){0, 1}, (int[2]){1, 1}, (int[2]){1, 0},
                          (int[2]){5, 7}, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(from, 2, MPI_INT, to, 2, MPI_INT, graph);
    printf("rank %d: %d\n", rank, rank < 2 ? to[0] : -1);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
