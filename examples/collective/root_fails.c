/* The root of a gather has too little room for the part of rank 1, and MPI ends the program. mpivet still compares what
 * all ranks have recorded, and reports the two calls. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[5] = {0}, to[7], counts[3] = {1, 1, 1}, displs[3] = {0, 1, 6};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gatherv(from, rank == 1 ? 5 : 1, MPI_INT, to, counts, displs, MPI_INT, 0, MPI_COMM_WORLD); /* want error "GLOBAL:COLLECTIVE:SIZE_MISMATCH" ranks=0,1 */
    MPI_Finalize();
    return 0;
}
