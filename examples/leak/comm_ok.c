/* Communicators of all kinds. The program frees all of them, some while they are in use. Null handles need no free. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, two = 2, one = 1, period = 1, keep = 1, a = 0, b = 0;
    MPI_Comm c, d, parent;
    MPI_Request r[2];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 300; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Irecv(&b, 1, MPI_INT, 1 - rank, 0, c, &r[0]);
        MPI_Isend(&a, 1, MPI_INT, 1 - rank, 0, c, &r[1]);
        MPI_Comm_free(&c);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &c);
    if (c != MPI_COMM_NULL)
        MPI_Comm_disconnect(&c);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &c);
    MPI_Intercomm_merge(c, rank, &d);
    MPI_Comm_free(&c);
    MPI_Comm_free(&d);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &period, 0, &c);
    MPI_Cart_sub(c, &keep, &d);
    MPI_Comm_free(&c);
    MPI_Comm_free(&d);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &period, 0, &c);
    if (c != MPI_COMM_NULL)
        MPI_Comm_free(&c);
    MPI_Comm_idup(MPI_COMM_WORLD, &c, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, c, &win);
    MPI_Comm_free(&c);
    MPI_Win_free(&win);
    MPI_Comm_get_parent(&parent);
    MPI_Finalize();
    return 0;
}
