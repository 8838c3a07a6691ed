/* Both structs have two ints and a double, but in different orders. So the receiver misinterprets the data. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>

struct mine {
    int a, b;
    double x;
};
struct yours {
    double x;
    int a, b;
};

int main(int argc, char **argv)
{
    int rank;
    struct mine m = {1, 2, 3.5};
    struct yours y;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Aint at[] = {offsetof(struct mine, a), offsetof(struct mine, b), offsetof(struct mine, x)};
        MPI_Type_create_struct(3, (int[]){1, 1, 1}, at, (MPI_Datatype[]){MPI_INT, MPI_INT, MPI_DOUBLE}, &type); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "type made" */
        MPI_Type_commit(&type);
        MPI_Send(&m, 1, type, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "2×INT, DOUBLE(.|\n)*DOUBLE, 2×INT(.|\n)*element 0: MPI_INT is sent, MPI_DOUBLE is expected(.|\n)*sendtype\(STRUCT\)\[0\]\[0\]\(INT\)" ranks=0,1 count=1 */
    } else {
        MPI_Aint at[] = {offsetof(struct yours, x), offsetof(struct yours, a)};
        MPI_Type_create_struct(2, (int[]){1, 2}, at, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &type); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "type made" */
        MPI_Type_commit(&type);
        MPI_Recv(&y, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
