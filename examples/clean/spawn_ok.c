/* MPI_Comm_spawn starts processes, which exchange messages with their parents and disconnect from them. */
/* run: np=1 mpi=openmpi */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0, errors[2];
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, errors);
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&value, 1, MPI_INT, i, 0, children, MPI_STATUS_IGNORE);
            printf("child %d says %d\n", i, value);
        }
        MPI_Comm_disconnect(&children);
    } else {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        value = 100 + rank;
        MPI_Send(&value, 1, MPI_INT, 0, 0, parent);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
