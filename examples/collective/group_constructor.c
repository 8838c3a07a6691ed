/* MPI_Comm_create_group is for those in the group, MPI_Comm_create for all of the communicator: they are no match for each
 * other, even where the group is of all. */
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
