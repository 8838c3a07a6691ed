/* Each process sends what the root expects from it. */
/* run: np=4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, counts[4] = {25, 25, 25, 25}, displs[4] = {0, 30, 60, 90};
    double part[30] = {0}, all[120];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Gatherv(part, rank < 3 ? 25 : 25, MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
