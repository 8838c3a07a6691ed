/* Only the members of the group call MPI_Comm_create_group. All processes of the communicator call MPI_Comm_create. The
 * two calls do not match, even if the group contains all processes. */
/* run: np=2 within=20s */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comm;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank == 0)
        MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &comm); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "MPI_Comm_create_group for rank 1 to call it too" ranks=0,1 want "GLOBAL:DEADLOCK:HARD" */
    else
        MPI_Comm_create(MPI_COMM_WORLD, all, &comm); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" want "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
