/* The program does not free its datatypes: some that a function makes, another one, and one with a name. */
/* run: np=2 */
#include <mpi.h>

static void exchange(double (*a)[8], int peer)
{
    MPI_Datatype column;
    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column); /* want "LOCAL:DATATYPE:NOT_FREED" "5 datatypes made by MPI_Type_vector are never freed" count=10 */
    MPI_Type_commit(&column);
    MPI_Sendrecv(&a[0][1], 1, column, peer, 0, &a[0][0], 1, column, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double a[8][8] = {{0}};
    int rank;
    MPI_Datatype row, named;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++)
        exchange(a, 1 - rank);
    if (rank == 0)
        MPI_Type_contiguous(8, MPI_DOUBLE, &row); /* want "LOCAL:DATATYPE:NOT_FREED" ranks=0 */
    MPI_Type_dup(MPI_DOUBLE, &named); /* want "LOCAL:DATATYPE:NOT_FREED" ranks=0,1 */
    MPI_Type_set_name(named, "number");
    MPI_Finalize();
    return 0;
}
