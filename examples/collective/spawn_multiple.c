/* Each rank passes itself as the root that starts the processes. There are no such programs, so nothing is started. */
/* run: np=2 mpi=openmpi */
#include <mpi.h>

int main(int argc, char **argv)
{
    char *commands[2] = {"./no-such-program", "./nor-this-one"};
    int rank, counts[2] = {1, 1};
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, rank, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE); /* want "GLOBAL:COLLECTIVE:SPAWN_MISMATCH" "root" count=1 ranks=0,1 may "LOCAL:MPI:CALL_FAILED" may "LOCAL:EXIT:SIGNAL" may "GLOBAL:DEADLOCK:HARD" */
    MPI_Finalize();
    return 0;
}
