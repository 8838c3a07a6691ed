/* The tag of MPI_Comm_create_group distinguishes the calls of threads. Calls with different tags do not match. */
/* run: np=3 within=20s */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comm;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_create_group(MPI_COMM_WORLD, all, rank == 1, &comm); /* want "GLOBAL:COLLECTIVE:GROUP_MISMATCH" "ranks 0,2 pass the group {0, 1, 2} and tag=0, but rank 1 passes the group {0, 1, 2} and tag=1" ranks=0,1,2 want "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
