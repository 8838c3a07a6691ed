/* Ranks that look wrong and are correct: MPI_PROC_NULL, MPI_ANY_SOURCE, and ranks of a remote group that
 * has more processes than the local group. */
/* run: np=3 */
#include <stddef.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, flag, out, in = 0;
    MPI_Comm half, inter;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = rank;
    MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 2, &in, 1, MPI_INT,
                 rank > 0 ? rank - 1 : MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &inter);
    if (rank == 0) {
        MPI_Send(&out, 1, MPI_INT, 1, 4, inter);
        MPI_Recv(&in, 1, MPI_INT, 1, 4, inter, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        MPI_Recv(&in, 1, MPI_INT, 0, 4, inter, MPI_STATUS_IGNORE);
        MPI_Send(&out, 1, MPI_INT, 0, 4, inter);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
