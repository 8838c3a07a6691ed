/* Two libraries of a program have a communicator each. The ranks call the libraries in different orders. */
/* run: np=2 */
#include <mpi.h>

static MPI_Comm solver, output;

static void solve(void)
{
    MPI_Barrier(solver); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "rank 0 waits in MPI_Barrier for rank 1 .*solver" ranks=0,1 want "GLOBAL:DEADLOCK:HARD" */
}

static void write_out(void)
{
    MPI_Barrier(output); /* want "GLOBAL:COLLECTIVE:ORDER_MISMATCH" "rank 1 waits in MPI_Barrier for rank 0 .*output" */
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    MPI_Comm_set_name(solver, "solver");
    MPI_Comm_dup(MPI_COMM_WORLD, &output);
    MPI_Comm_set_name(output, "output");
    if (rank == 0)
        solve();
    write_out();
    if (rank != 0)
        solve();
    MPI_Comm_free(&output);
    MPI_Comm_free(&solver);
    MPI_Finalize();
    return 0;
}
