/* Rank 1 makes the datatype in another way. The basic types are the same. */
/* run: np=3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype pair, record;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (rank == 1)
        MPI_Type_create_struct(3, (int[3]){1, 1, 1}, (MPI_Aint[3]){0, 4, 8},
                               (MPI_Datatype[3]){MPI_INT, MPI_INT, MPI_DOUBLE}, &record);
    else
        MPI_Type_create_struct(2, (int[2]){1, 1}, (MPI_Aint[2]){0, 8}, (MPI_Datatype[2]){pair, MPI_DOUBLE}, &record);
    MPI_Type_commit(&record);
    char data[16 * 3] = {0};
    MPI_Bcast(data, 3, record, 0, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
    MPI_Type_free(&record);
    MPI_Finalize();
    return 0;
}
