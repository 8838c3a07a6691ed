/* Neighbourhood collectives forbid MPI_IN_PLACE. Open MPI reports an error; MPICH reads from there and crashes. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int to[2] = {0};
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[1]){2}, (int[1]){1}, 0, &ring);
    MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, to, 1, MPI_INT, ring); /* want "GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH" "MPI_IN_PLACE" may "LOCAL:EXIT:SIGNAL" may "LOCAL:MPI:CALL_FAILED" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
