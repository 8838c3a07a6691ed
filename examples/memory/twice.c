/* Datatypes that contain an element twice, or whose copies overlap. They must not be used to receive. */
/* run: np=2 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[20] = {0}, mine[3] = {0}, lens[2] = {2, 2}, at[2] = {0, 1};
    MPI_Datatype twice, every;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_indexed(2, lens, at, MPI_INT, &twice); /* want warning "LOCAL:DATATYPE:NOT_FREED" */
    MPI_Type_commit(&twice);
    MPI_Irecv(data, 1, twice, 1 - rank, 0, MPI_COMM_WORLD, &r); /* want error "LOCAL:MEMORY:OVERLAP" "buf\(INDEXED\)\[0\]\[1\]\(INT\)" ranks=0,1 */
    MPI_Send(data + 10, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Recv(data, 1, twice, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want error "LOCAL:MEMORY:OVERLAP" "has a byte twice" ranks=0 */
    } else
        MPI_Send(data, 1, twice, 0, 1, MPI_COMM_WORLD);
    /* Three elements with a stride of two, and the next copy begins at the second of them. */
    MPI_Type_vector(3, 1, 2, MPI_INT, &every); /* want warning "LOCAL:DATATYPE:NOT_FREED" */
    MPI_Type_create_resized(every, 0, 2 * sizeof(int), &twice); /* want warning "LOCAL:DATATYPE:NOT_FREED" */
    MPI_Type_commit(&twice);
    if (rank == 0)
        MPI_Gather(mine, 3, MPI_INT, data, 1, twice, 0, MPI_COMM_WORLD); /* want error "LOCAL:MEMORY:OVERLAP" "copy 1 of recvbuf" ranks=0 */
    else
        MPI_Gather(mine, 3, MPI_INT, data, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
