/* Probes of all kinds, which query a message before the receive, among messages of different types and sizes. */
/* run: np=2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, flag, count, numbers[6] = {1, 2, 3, 4, 5, 6};
    double x = 1.5;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request sends[6]; /* blocking sends might wait forever, because the last message is received first */
        for (int n = 1; n <= 6; n++)
            MPI_Isend(numbers, n, MPI_INT, 1, 1, MPI_COMM_WORLD, &sends[n - 1]);
        MPI_Send(&x, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        MPI_Waitall(6, sends, MPI_STATUSES_IGNORE);
    } else {
        /* The message with tag 2, although others came before it. */
        MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&x, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
        printf("%g\n", x);
        for (int n = 1; n <= 6; n++) {
            int got[6];
            switch (n % 4) {
            case 0:
                MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                MPI_Get_count(&status, MPI_INT, &count);
                MPI_Recv(got, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                break;
            case 1:
                do
                    MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
                while (!flag);
                MPI_Get_count(&status, MPI_INT, &count);
                MPI_Recv(got, count, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                break;
            case 2:
                do
                    MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &message, &status);
                while (!flag);
                MPI_Get_count(&status, MPI_INT, &count);
                MPI_Imrecv(got, count, MPI_INT, &message, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                break;
            default:
                MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
                MPI_Get_count(&status, MPI_INT, &count);
                MPI_Mrecv(got, count, MPI_INT, &message, MPI_STATUS_IGNORE);
            }
            printf("%d ints, the last one is %d\n", count, got[count - 1]);
        }
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&x, 1, MPI_DOUBLE, &message, &status);
        printf("nobody sent %s\n", status.MPI_SOURCE == MPI_PROC_NULL ? "nothing" : "something");
    }
    MPI_Finalize();
    return 0;
}
