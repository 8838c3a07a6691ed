/* Receives of all kinds, completed in all ways and in another order than they were posted: by functions for any, some
 * and all requests, after MPI_Request_get_status, persistent ones, with wildcards, cancelled, freed. */
/* run: np=3 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int total;

static void finish(MPI_Status *s, int value)
{
    total += value + (s->MPI_SOURCE < 0);
}

int main(int argc, char **argv)
{
    int rank, n, done, flag, index[6];
    int in[6];
    double x[6];
    MPI_Request r[6], p[2];
    MPI_Status s, list[6];
    MPI_Message m;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 3; i++) {
                double y = rank;
                MPI_Isend(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &r[0]);
                MPI_Request_free(&r[0]);
                MPI_Barrier(MPI_COMM_SELF);
                MPI_Send(&y, 1, MPI_DOUBLE, 0, 10, MPI_COMM_WORLD);
                MPI_Recv(&y, 0, MPI_DOUBLE, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < 2; i++)
        MPI_Recv_init(&x[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &p[i]);
    /* This receive is pending all the time, and no rank ever sends its message. */
    MPI_Request control;
    MPI_Irecv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &control);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++)
                MPI_Irecv(&in[2 * i + j], 1, MPI_INT, j ? MPI_ANY_SOURCE : 1 + round % 2, i, MPI_COMM_WORLD,
                          &r[2 * i + j]);
        for (int i = 0; i < 3; i++) {
            MPI_Startall(2, p);
            do
                MPI_Request_get_status(p[1], &flag, MPI_STATUS_IGNORE);
            while (!flag);
            MPI_Waitall(2, p, MPI_STATUSES_IGNORE);
            for (int peer = 1; peer < 3; peer++)
                MPI_Send(x, 0, MPI_DOUBLE, peer, 11, MPI_COMM_WORLD);
        }
        for (done = 0; done < 6;) {
            switch ((round + done) % 4) {
            case 0:
                MPI_Waitany(6, r, index, &s);
                finish(&s, 1);
                done++;
                break;
            case 1:
                MPI_Testsome(6, r, &n, index, list);
                for (int i = 0; i < n; i++)
                    finish(&list[i], 1);
                done += n;
                break;
            case 2:
                MPI_Testany(6, r, index, &flag, &s);
                if (flag) {
                    finish(&s, 1);
                    done++;
                }
                break;
            default:
                MPI_Waitall(6, r, list);
                total += 6 - done;
                done = 6;
            }
        }
    }
    MPI_Cancel(&control);
    MPI_Wait(&control, &s);
    MPI_Test_cancelled(&s, &flag);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&p[i]);
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &done, &m, &s);
    printf("%d, %d, %d\n", total, flag, done);
    MPI_Finalize();
    return 0;
}
