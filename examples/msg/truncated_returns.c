/* Messages that are longer than their receives, in a program that has errors returned. Each one is one
 * finding, which contains the error of MPI. */
/* run: np=2 stdout=any */
#include <mpi.h>
#include <stdio.h>

static void say(const char *what, int rc)
{
    int class;
    MPI_Error_class(rc, &class);
    printf("%s: %s\n", what, class == MPI_ERR_TRUNCATE ? "truncated" : class == MPI_SUCCESS ? "fine" : "another error");
}

int main(int argc, char **argv)
{
    int rank, data[8] = {0};
    MPI_Request request;
    MPI_Datatype pairs;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 2, 3, MPI_INT, &pairs); /* want "GLOBAL:MSG:TRUNCATED" */
    MPI_Type_commit(&pairs);
    if (rank == 0) {
        MPI_Send(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" "the message has 32 bytes, the buffer 16 bytes" count=1 */
        MPI_Send(data, 5, MPI_INT, 1, 1, MPI_COMM_WORLD); /* want "GLOBAL:MSG:TRUNCATED" "MPI_Send of rank 0 sends 5 × MPI_INT, but MPI_Irecv of rank 1.* receives it into 1 × vector\(2, 2, 3, INT\)" count=1 */
        MPI_Sendrecv_replace(data, 1, MPI_INT, 1, 2, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* want "GLOBAL:MSG:TRUNCATED" "" */
    } else {
        say("MPI_Recv", MPI_Recv(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); /* want "GLOBAL:MSG:TRUNCATED" */
        MPI_Irecv(data, 1, pairs, 0, 1, MPI_COMM_WORLD, &request);                            /* want "GLOBAL:MSG:TRUNCATED" */
        say("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
        say("MPI_Sendrecv", MPI_Sendrecv(data, 1, MPI_INT, 0, 2, data + 4, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); /* want "GLOBAL:MSG:TRUNCATED" */
    }
    MPI_Type_free(&pairs);
    MPI_Finalize();
    return 0;
}
