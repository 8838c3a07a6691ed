/* One rank computes for longer than --no-progress allows the others to wait. mpivet only reports a note. */
/* run: np=2 flags="--no-progress=1s" */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* mpivet does not record this call */
    if (rank == 0)
        sleep(4);
    MPI_Barrier(MPI_COMM_WORLD); /* want info "GLOBAL:DEADLOCK:NO_PROGRESS" "outside of MPI" */
    MPI_Finalize();
    return 0;
}
