/* In calls that start and connect processes, only the root's command, number of processes, info and port are
 * significant. Debian's MPICH supports none of these calls. */
/* run: np=3 mpi=openmpi<5 */ /* the launcher of 5.0.7 crashes in MPI_Comm_spawn_multiple */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, first, size;
    char port[MPI_MAX_PORT_NAME] = "nonsense";
    MPI_Comm parent, children, half, other, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Intercomm_merge(parent, 1, &all);
        MPI_Barrier(all);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int multiple = 0; multiple < 2; multiple++) {
        if (multiple && rank == 2)
            MPI_Comm_spawn_multiple(2, (char *[]){argv[0], argv[0]}, MPI_ARGVS_NULL, (int[]){1, 1},
                                    (MPI_Info[]){MPI_INFO_NULL, MPI_INFO_NULL}, 2, MPI_COMM_WORLD, &children,
                                    MPI_ERRCODES_IGNORE);
        else if (multiple)
            MPI_Comm_spawn_multiple(0, NULL, NULL, NULL, NULL, 2, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        else if (rank == 1)
            MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        else
            MPI_Comm_spawn(NULL, NULL, -1, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        MPI_Intercomm_merge(children, 0, &all);
        MPI_Comm_size(all, &size);
        printf("rank %d: %d\n", rank, size);
        MPI_Barrier(all);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&children);
    }

    first = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (first)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
    MPI_Comm_remote_size(other, &size);
    printf("rank %d: %d\n", rank, size);
    MPI_Comm_disconnect(&other);
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
