/* The buffer for data from the neighbours overlaps the buffer for data to them. */
/* run: np=3 stdout=any */
#include <mpi.h>

int main(int argc, char **argv)
{
    int size, dims[1], periods[1] = {1}, data[8] = {0};
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    dims[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    MPI_Neighbor_alltoall(data, 2, MPI_INT, data + 3, 2, MPI_INT, ring); /* want error "LOCAL:MEMORY:OVERLAP" "Use two buffers" ranks=0,1,2 */
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
