/* Numbers of partitions that a message does not have. */
/* run: np=1 mpi=mpich */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int flag, out[4] = {0}, in[4];
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Psend_init(out, 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Startall(2, r);
    MPI_Pready(4, r[0]);                                /* want error "LOCAL:MPI:INVALID_ARGUMENT" "partition=4, which is not a partition of the message: partitions go from 0 to 3" */
    MPI_Parrived(r[1], -1, &flag);                      /* want error "LOCAL:MPI:INVALID_ARGUMENT" "partition=-1" */
    MPI_Pready_list(2, (int[2]){0, 7}, r[0]);           /* want error "LOCAL:MPI:INVALID_ARGUMENT" "array_of_partitions.1." */
    MPI_Abort(MPI_COMM_WORLD, 1);
}
