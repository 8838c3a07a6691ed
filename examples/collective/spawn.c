/* Each rank passes itself as the root that starts the process. There is no such program, so nothing is started. */
/* run: np=2 mpi=openmpi */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_spawn("./no-such-program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, rank, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE); /* want "GLOBAL:COLLECTIVE:SPAWN_MISMATCH" "root" count=1 ranks=0,1 may "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
