/* Grids and graphs that the ranks describe differently. Neither MPI notices. */
/* run: np=2 */
#include <mpi.h>

enum { FAULTS = 7 };

int main(int argc, char **argv)
{
    int rank, newrank, dims[2], grid[2] = {1, 2}, never[2] = {0, 0}, periods[2] = {0, 0}, one[1] = {1}, two[1] = {2};
    int index[2] = {1, 2}, edges[2], cross[2] = {1, 0};
    MPI_Comm comm[FAULTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    dims[0] = 1 + rank;
    dims[1] = 2 - rank;
    periods[0] = rank;
    edges[0] = 1 - rank;
    edges[1] = rank;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, never, 0, &comm[0]);                     /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "dims" count=1 ranks=0,1 */
    MPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &comm[1]);                   /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "periods" count=1 ranks=0,1 */
    MPI_Cart_create(MPI_COMM_WORLD, 1 + rank, rank ? grid : two, never, 0, &comm[2]); /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "ndims" count=1 ranks=0,1 */
    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &comm[3]);                   /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "edges" count=1 ranks=0,1 */
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, never, &newrank);                           /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "dims" count=1 ranks=0,1 */
    MPI_Graph_map(MPI_COMM_WORLD, 2, index, edges, &newrank);                         /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "edges" count=1 ranks=0,1 */
    /* Rank 1 names rank 0 as a source, but rank 0 does not name rank 1 as a destination. */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &cross[rank], MPI_UNWEIGHTED, rank, &cross[rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm[4]); /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "edge from rank 0" count=1 */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &cross[rank], rank ? one : MPI_UNWEIGHTED, 1, &cross[rank], rank ? one : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm[5]); /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "MPI_UNWEIGHTED" count=1 ranks=0,1 */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &cross[rank], rank ? one : two, 1, &cross[rank], one, MPI_INFO_NULL, 0, &comm[6]); /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "weight" count=1 ranks=0,1 */
    for (int i = 0; i < FAULTS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
