// A template chooses the type, and on one side it chooses the wrong one. Names are shown demangled.
// run: np=2
#include <mpi.h>

#include <vector>

template <typename T> MPI_Datatype type_of();
template <> MPI_Datatype type_of<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype type_of<float>() { return MPI_FLOAT; }

namespace halo {
template <typename T> void give(const std::vector<T> &v, int to)
{
    MPI_Send(v.data(), static_cast<int>(v.size()), type_of<T>(), to, 0, MPI_COMM_WORLD); // want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_DOUBLE" func="halo::give<double>"
}

template <typename T> void take(std::vector<T> &v, int from)
{
    MPI_Recv(v.data(), static_cast<int>(v.size()), type_of<T>(), from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_FLOAT" func="halo::take<float>"
}
} // namespace halo

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        std::vector<double> v(10);
        halo::give(v, 1);
    } else {
        std::vector<float> v(20);
        halo::take(v, 0);
    }
    MPI_Finalize();
    return 0;
}
