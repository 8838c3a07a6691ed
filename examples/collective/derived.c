/* Rank 1 has the members of a structure in another order: its datatype sends and receives other basic types. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype pair, record;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Datatype first = rank == 1 ? MPI_DOUBLE : pair, second = rank == 1 ? pair : MPI_DOUBLE;
    MPI_Type_create_struct(2, (int[2]){1, 1}, (MPI_Aint[2]){0, 8}, (MPI_Datatype[2]){first, second}, &record);
    MPI_Type_commit(&record);
    char data[16 * 3] = {0};
    MPI_Bcast(data, 3, record, 0, MPI_COMM_WORLD); /* want "GLOBAL:COLLECTIVE:DATATYPE:MISMATCH" "3 × struct\{contiguous\(2, INT\) @0, DOUBLE @8\}(.|\s)*first difference is element 0: MPI_(INT and MPI_DOUBLE|DOUBLE and MPI_INT)(.|\s)*datatype #1 in it made" ranks=0,1,2 */
    MPI_Type_free(&pair);
    MPI_Type_free(&record);
    MPI_Finalize();
    return 0;
}
