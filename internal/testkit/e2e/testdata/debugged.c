/* Rank 0 waits for a message that nobody sends, with many MPI objects for a debugger to look at. */
#include <mpi.h>
#include <stddef.h>

struct particle {
    char kind;
    double place[3];
    int id;
};

int main(int argc, char **argv)
{
    int rank, one = 1, lengths[1000], unknown = 0x7c123456;
    MPI_Aint places[1000];
    MPI_Datatype types[1000], particle, row, big, freed, garbage;
    MPI_Comm half;
    MPI_Group group;
    MPI_Op op = MPI_SUM;
    MPI_Request request, none = MPI_REQUEST_NULL;
    MPI_Status status = {0};
    MPI_Info info;
    MPI_Message message;
    struct particle particles[4] = {{'a', {1, 2, 3}, 10}, {'b', {4, 5, 6}, 11}};
    void *buffer = particles;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) lengths[i] = i == 1 ? 3 : 1;
    places[0] = offsetof(struct particle, kind);
    places[1] = offsetof(struct particle, place);
    places[2] = offsetof(struct particle, id);
    types[0] = MPI_CHAR;
    types[1] = MPI_DOUBLE;
    types[2] = MPI_INT;
    MPI_Type_create_struct(3, lengths, places, types, &row);
    MPI_Type_create_resized(row, 0, sizeof(struct particle), &particle);
    MPI_Type_free(&row);
    MPI_Type_commit(&particle);
    MPI_Type_vector(2, 1, 4, MPI_INT, &row);
    for (int i = 0; i < 1000; i++) {
        lengths[i] = 1 + i % 3;
        places[i] = 16 * i;
        types[i] = i % 2 ? row : MPI_INT;
    }
    MPI_Type_create_struct(1000, lengths, places, types, &big);
    MPI_Type_contiguous(5, MPI_INT, &freed);
    garbage = freed;
    MPI_Type_free(&garbage);
    garbage = (MPI_Datatype)(unsigned long)unknown;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Comm_group(half, &group);
    MPI_Info_create(&info);
    MPI_Info_set(info, "color", "red");
    MPI_Type_set_name(row, "grid row");
    MPI_Isend(&one, 1, MPI_INT, rank, 78, MPI_COMM_WORLD, &request);
    MPI_Mprobe(rank, 78, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Irecv(&one, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(buffer, 4, particle, 1, 5, MPI_COMM_WORLD, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    return one + (op == MPI_SUM) + (none == request) + (garbage == freed) + (big == row) + (info == MPI_INFO_NULL) +
           (group == MPI_GROUP_NULL);
}
