/* The program makes and frees a thousand datatypes. It frees most of them while operations use them. */
/* run: np=2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a[16] = {0}, b[16] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 1000; i++) {
        MPI_Datatype inner, t;
        MPI_Request r[2];
        MPI_Type_vector(2, 1, 2 + i % 3, MPI_INT, &inner);
        MPI_Type_contiguous(2, inner, &t);
        MPI_Type_free(&inner);
        MPI_Type_commit(&t);
        MPI_Irecv(b, 1, t, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(a, 1, t, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
        MPI_Type_free(&t);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
