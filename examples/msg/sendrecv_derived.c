/* The ranks exchange records, but the datatype of one rank has two members in the wrong order. */
/* run: np=2 */
#include <mpi.h>

struct record {
    float weight;
    int id;
};

int main(int argc, char **argv)
{
    int rank;
    struct record mine = {0.5f, 1}, yours;
    MPI_Datatype types[2] = {MPI_FLOAT, MPI_INT}, record;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        types[0] = MPI_INT;
        types[1] = MPI_FLOAT;
    }
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 4}, types, &record); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    MPI_Type_commit(&record);
    MPI_Sendrecv(&mine, 1, record, 1 - rank, 0, &yours, 1, record, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "MPI_Sendrecv" count=2 ranks=0,1 */
    MPI_Type_free(&record);
    MPI_Finalize();
    return 0;
}
