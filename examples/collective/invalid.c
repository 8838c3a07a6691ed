/* Invalid arguments of collectives on all ranks. Each call is one finding for all ranks. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int from[2] = {1, 2}, to[2], counts[2] = {1, -3}, displs[2] = {0, 1};
    float ratio = 1, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(from, -1, MPI_INT, 0, MPI_COMM_WORLD);                                                /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "count=-1" count=1 ranks=0,1 */
    MPI_Bcast(from, 1, MPI_INT, 2, MPI_COMM_WORLD);                                                 /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "root=2" count=1 ranks=0,1 */
    MPI_Gather(from, 1, MPI_INT, to, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD);                         /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "MPI_ROOT" count=1 ranks=0,1 */
    MPI_Reduce(from, to, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD);                               /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "MPI_OP_NULL" count=1 ranks=0,1 */
    MPI_Allreduce(&ratio, &all, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD);                            /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "MPI_BAND" count=1 ranks=0,1 */
    MPI_Allreduce(from, to, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD);                                /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "MPI_MAXLOC" count=1 ranks=0,1 */
    MPI_Scan(from, to, 1, MPI_INT, MPI_REPLACE, MPI_COMM_WORLD);                                    /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "MPI_REPLACE" count=1 ranks=0,1 */
    MPI_Alltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, MPI_COMM_WORLD);      /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "-3" count=1 ranks=0,1 */
    MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                         /* want "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "-3" count=1 ranks=0,1 */
    MPI_Finalize();
    return 0;
}
