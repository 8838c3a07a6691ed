/* Cartesian, graph and distributed graph topologies, shifts that end in MPI_PROC_NULL, neighbourhood collectives. */
/* run: np=4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, dims[2] = {0, 0}, periods[2] = {0, 1}, keep[2] = {0, 1}, left, right, value = -1;
    int index[4] = {1, 3, 5, 6}, edges[6] = {1, 0, 2, 1, 3, 2}, neighbours, source, dest;
    int in[4] = {-1, -1, -1, -1}, out[4];
    MPI_Comm cart, row, graph, ring, list;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Dims_create(4, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_shift(cart, 0, 1, &left, &right);
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &value, 1, MPI_INT, left, 0, cart, MPI_STATUS_IGNORE);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, cart);
    printf("rank %d: %d, %d %d %d %d\n", rank, value, in[0], in[1], in[2], in[3]);
    MPI_Cart_sub(cart, keep, &row);
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, row);

    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
    MPI_Graph_neighbors_count(graph, rank, &neighbours);
    for (int i = 0; i < 4; i++)
        out[i] = 10 * rank + i;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph);
    printf("rank %d: %d neighbours, the first one sent %d\n", rank, neighbours, in[0]);

    source = (rank + 3) % 4;
    dest = (rank + 1) % 4;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, MPI_UNWEIGHTED, 1, &dest, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &ring);
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    neighbours = rank == 0 ? 1 : 0;
    source = 0;
    dest = 3;
    MPI_Dist_graph_create(MPI_COMM_WORLD, neighbours, &source, &neighbours, &dest, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &list);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in[3], 1, MPI_INT, list);
    printf("rank %d: %d %d %d\n", rank, value, in[0], in[3]);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&row);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&list);
    MPI_Finalize();
    return 0;
}
