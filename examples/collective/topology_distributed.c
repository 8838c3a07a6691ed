/* A distributed graph with weights on one rank and MPI_UNWEIGHTED on the other one. Open MPI hangs. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, degree = 1, weight = 1;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &other, rank ? &weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph); /* want "GLOBAL:COLLECTIVE:TOPOLOGY_MISMATCH" "MPI_UNWEIGHTED" ranks=0,1 may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&graph);
    MPI_Finalize(); /* may "GLOBAL:DEADLOCK:HARD" */
    return 0;
}
