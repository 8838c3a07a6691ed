/* Receives that adapt to the source and the length of the message, and receives with more room than needed. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, n, data[8] = {0}, sum = 0;
    double x[4] = {0};
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        MPI_Send(data, 4 * rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(x, 2 * rank, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        MPI_Send(data, rank, MPI_INT, 0, 2, MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < 4; i++) { /* a probe for each message: ints or doubles, of any length */
            MPI_Mprobe(MPI_ANY_SOURCE, i % 2, MPI_COMM_WORLD, &message, &status);
            MPI_Datatype type = status.MPI_TAG == 0 ? MPI_INT : MPI_DOUBLE;
            MPI_Get_count(&status, type, &n);
            void *room = malloc((size_t)n * 8 + 1);
            MPI_Mrecv(room, n, type, &message, MPI_STATUS_IGNORE);
            free(room);
            sum += n;
        }
        MPI_Irecv(data, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request); /* want info "GLOBAL:MSG:RACE" */
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        sum += n;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        MPI_Recv(data, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d\n", sum + n);
    }
    MPI_Finalize();
    return 0;
}
