/* Communicators of the wrong kind: intra- instead of inter-communicators, the opposite, and one without a topology. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, sum[4] = {0}, keep[1] = {1}, at[1];
    MPI_Comm half, inter, made;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Scan(&value, sum, 1, MPI_INT, MPI_SUM, inter);                             /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "is an inter-communicator, which the function does not work on" may "LOCAL:EXIT:SIGNAL" */
    MPI_Cart_sub(MPI_COMM_WORLD, keep, &made);                                     /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "has no Cartesian topology" */
    MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, at);                                     /* want error "LOCAL:MPI:INVALID_ARGUMENT" "has no Cartesian topology" */
    MPI_Neighbor_allgather(&value, 1, MPI_INT, sum, 1, MPI_INT, MPI_COMM_WORLD);   /* want error "GLOBAL:COLLECTIVE:INVALID_PARAMETER" "has no topology" */
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
