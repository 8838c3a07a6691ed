/* A graph with the edges 0 -> 1 -> 2 -> 0, all described by rank 0. Rank 1 sends two
 * integers to rank 2, which expects one. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2];
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? 3 : 0, (int[3]){0, 1, 2}, (int[3]){1, 1, 1}, (int[3]){1, 2, 0},
                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_alltoallv(from, (int[1]){rank == 1 ? 2 : 1}, (int[1]){0}, MPI_INT, to, (int[1]){1}, (int[1]){0}, MPI_INT, ring); /* want "GLOBAL:COLLECTIVE:SIZE_MISMATCH" ranks=1,2 may info "LOCAL:MPI:CALL_FAILED" */
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
