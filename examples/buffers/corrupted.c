/* The program writes to a receive buffer after the message has arrived, but before the receive is complete: first to a
 * short buffer, then to a longer one with a derived datatype. */
/* run: np=2 flags="--checksums" stdout=any */
#include <mpi.h>

enum { N = 1500 };

int main(int argc, char **argv)
{
    int rank, few[4] = {1, 2, 3, 4}, go = 0;
    static double column[N], matrix[N][2];
    MPI_Request r;
    MPI_Datatype t;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &t);
    MPI_Type_commit(&t);
    if (rank == 0) {
        MPI_Recv(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(few, 4, MPI_INT, 1, 1, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED" "MPI_Send of rank 0 sends 16 bytes, but MPI_Irecv of rank 1.* receives other data" count=1 ranks=0,1 */
        MPI_Send(column, N, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD); /* want "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED" "between byte 8192 and byte 11999, from recvtype\(VECTOR\)\[1024\]" count=1 ranks=0,1 */
        MPI_Send(&go, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(few, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
        MPI_Request s;
        MPI_Irecv(&matrix[0][1], 1, t, 0, 2, MPI_COMM_WORLD, &s);
        MPI_Send(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&go, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        few[2] = 9;
        matrix[1499][1] = 1;
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Wait(&s, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
