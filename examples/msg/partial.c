/* A receive may be longer than its message and end inside a datatype, but the part that arrives must match. The sender
 * forgot that a double follows the int. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>

struct particle {
    int id;
    double position[3];
};

int main(int argc, char **argv)
{
    int rank, ids[7] = {0};
    struct particle p[4];
    MPI_Datatype particle, sized;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, (int[]){1, 3}, (MPI_Aint[]){0, offsetof(struct particle, position)},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &particle);
    MPI_Type_create_resized(particle, 0, sizeof(struct particle), &sized); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "receive type made" */
    MPI_Type_commit(&sized);
    if (rank == 0) {
        MPI_Send(ids, 7, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "Sent: 7×INT(.|\n)*element 1: MPI_INT is sent, MPI_DOUBLE is expected(.|\n)*copy 0 of recvtype\(RESIZED\)\[0\]\(STRUCT\)\[1\]\[0\]\(DOUBLE\)" */
    } else {
        MPI_Recv(p, 4, sized, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    }
    MPI_Type_free(&particle);
    MPI_Type_free(&sized);
    MPI_Finalize();
    return 0;
}
