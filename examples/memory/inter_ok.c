/* On an inter-communicator each side has its own arguments. Arguments that are not significant may share a buffer. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, upper, data[8] = {0}, more[8] = {0}, root;
    MPI_Comm half, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    upper = rank / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : 2, 0, &both);
    root = upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    for (int i = 0; i < 10; i++) {
        MPI_Bcast(data, 8, MPI_INT, root, both);
        MPI_Gather(data, 2, MPI_INT, data, 2, MPI_INT, root, both);
        MPI_Scatter(data, 2, MPI_INT, data, 2, MPI_INT, root, both);
        MPI_Reduce(data, more, 2, MPI_INT, MPI_SUM, root, both);
        MPI_Allreduce(data, more, 2, MPI_INT, MPI_SUM, both);
        MPI_Allgather(data, 2, MPI_INT, data + 2, 2, MPI_INT, both);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
