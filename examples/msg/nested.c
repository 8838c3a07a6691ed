/* A struct of structs, as in Gropp's paper on datatype signatures: (int, double, int, double, short). At the end, the
 * receiver's struct has an int instead of the short. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>

struct pair {
    int i;
    double d;
};
struct outer {
    struct pair p[2];
    short s;
};
struct other {
    struct pair p[2];
    int s;
};

int main(int argc, char **argv)
{
    int rank;
    struct outer out[3] = {{{{1, 1.5}, {2, 2.5}}, 3}};
    struct other in[3];
    MPI_Datatype pair, last, all, sized;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    last = rank == 0 ? MPI_SHORT : MPI_INT;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){offsetof(struct pair, i), offsetof(struct pair, d)},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
    MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){offsetof(struct outer, p), offsetof(struct outer, s)},
                           (MPI_Datatype[]){pair, last}, &all);
    MPI_Type_create_resized(all, 0, sizeof(struct outer), &sized); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "type made" */
    MPI_Type_commit(&sized);
    MPI_Type_set_name(sized, "outer");
    if (rank == 0)
        MPI_Send(&out[1], 2, sized, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" "2×\{2×\{INT, DOUBLE\}, SHORT\}(.|\n)*3×\{2×\{INT, DOUBLE\}, INT\}(.|\n)*element 4: MPI_SHORT is sent, MPI_INT is expected(.|\n)*copy 0 of outer\(RESIZED\)\[0\]\(STRUCT\)\[1\]\[0\]\(SHORT\)" */
    else
        MPI_Recv(in, 3, sized, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:DATATYPE:MISMATCH" */
    MPI_Type_free(&pair);
    MPI_Type_free(&all);
    MPI_Type_free(&sized);
    MPI_Finalize();
    return 0;
}
