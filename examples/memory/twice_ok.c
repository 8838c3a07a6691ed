/* A datatype that contains an element twice may be sent. Interleaved copies overlap only if they share elements. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[40] = {0}, lens[2] = {2, 2}, at[2] = {0, 1};
    MPI_Datatype twice, every, odd;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_indexed(2, lens, at, MPI_INT, &twice);
    MPI_Type_commit(&twice);
    MPI_Type_vector(3, 1, 2, MPI_INT, &every);
    MPI_Type_create_resized(every, 0, sizeof(int), &odd); /* two copies contain every element once */
    MPI_Type_commit(&odd);
    for (int i = 0; i < 10; i++) {
        MPI_Isend(data, 1, twice, 1 - rank, 0, MPI_COMM_WORLD, &r);
        MPI_Recv(data + 10, 2, odd, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Bcast(data, 2, odd, 0, MPI_COMM_WORLD);
        MPI_Irecv(data, 1, odd, 1 - rank, 0, MPI_COMM_WORLD, &r);
        MPI_Send(data + 1, 1, odd, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&twice);
    MPI_Type_free(&every);
    MPI_Type_free(&odd);
    MPI_Finalize();
    return 0;
}
