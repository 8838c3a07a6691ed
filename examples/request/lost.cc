// A vector of requests is emptied before the program has completed them.
// run: np=2 stdout=any
#include <mpi.h>

#include <vector>

int main(int argc, char **argv)
{
    int rank;
    std::vector<int> data(4), in(4);
    std::vector<MPI_Request> requests;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        requests.emplace_back();
        MPI_Isend(&data[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests.back()); // want "LOCAL:REQUEST:NOT_FREED" count=8 ranks=0,1
    }
    requests.clear();
    for (int i = 0; i < 4; i++)
        MPI_Recv(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
