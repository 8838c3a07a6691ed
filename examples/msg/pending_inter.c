/* Messages on an inter-communicator, sent by several ranks at the same line. */
/* run: np=4 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Comm half, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH from 4.1 on refuses to free the communicator */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter); /* may warning "LOCAL:COMM:NOT_FREED" */
    MPI_Send(&x, 1, MPI_INT, 0, 3, inter); /* want "GLOBAL:MSG:PENDING" count=2 ranks=0,1,2 */
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 3, inter, MPI_STATUS_IGNORE); /* may info "GLOBAL:MSG:RACE" */
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
