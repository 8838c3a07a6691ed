// Rank 0 waits for a message that nobody sends, with MPI objects in classes and references.
#include <mpi.h>

namespace grid {

struct Halo {
    MPI_Datatype row;
    MPI_Comm comm;
    MPI_Request requests[2];

    explicit Halo(MPI_Comm world) : comm(MPI_COMM_NULL), requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL}
    {
        MPI_Type_vector(3, 2, 8, MPI_DOUBLE, &row);
        MPI_Type_commit(&row);
        MPI_Comm_dup(world, &comm);
    }

    void waits(double *values, const MPI_Datatype &type)
    {
        MPI_Irecv(values, 1, type, 1, 4, comm, &requests[0]);
        MPI_Barrier(comm);
        int rank;
        MPI_Comm_rank(comm, &rank);
        if (rank == 0)
            MPI_Recv(values, 2, MPI_DOUBLE, 1, 5, comm, MPI_STATUS_IGNORE);
        MPI_Barrier(comm);
    }
};

} // namespace grid

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double values[32] = {0.5, 1.5};
    grid::Halo halo(MPI_COMM_WORLD);
    halo.waits(values, halo.row);
    MPI_Finalize();
}
