/* Correct messages, with an MPI that damages the data of one of them. Two ranks. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern unsigned char *damage;

enum { FEW = 6, MANY = 100000 };
static int rank, other;
static int a[FEW], b[2 * FEW], *many, *more;

static void hurt(void *at)
{
    if (rank == 1)
        damage = at;
}

static void send(int tag) { MPI_Send(a, FEW, MPI_INT, other, tag, MPI_COMM_WORLD); }

static void run(const char *mode, int hurts)
{
    MPI_Request r[3];
    MPI_Message m;
    MPI_Datatype column;
    int flag = 0, index;
    for (int i = 0; i < FEW; i++)
        a[i] = rank * 100 + i;
    if (!strcmp(mode, "recv")) {
        if (rank == 0)
            send(1);
        if (hurts)
            hurt(&b[5]);
        if (rank == 1)
            MPI_Recv(b, 2 * FEW, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "behind")) { /* a byte that is not part of any data */
        if (rank == 0)
            send(1);
        hurt(&b[FEW]);
        if (rank == 1)
            MPI_Recv(b, 2 * FEW, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "large")) {
        if (rank == 0) {
            MPI_Send(many, MANY, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else {
            if (hurts)
                hurt(&more[50000]);
            MPI_Recv(more, MANY, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(mode, "column")) {
        MPI_Type_vector(FEW, 1, 2, MPI_INT, &column);
        MPI_Type_commit(&column);
        if (rank == 0) {
            send(1);
        } else {
            MPI_Irecv(b, 1, column, 0, 1, MPI_COMM_WORLD, &r[0]);
            if (hurts)
                hurt(&b[6]);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        }
        MPI_Type_free(&column);
    } else if (!strcmp(mode, "sendrecv")) {
        if (hurts)
            hurt(&b[0]);
        MPI_Sendrecv(a, FEW, MPI_INT, other, 1, b, FEW, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "replace")) {
        if (hurts)
            hurt(&a[0]);
        MPI_Sendrecv_replace(a, FEW, MPI_INT, other, 1, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "mrecv")) {
        if (rank == 0) {
            send(1);
        } else {
            MPI_Mprobe(0, 1, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
            if (hurts)
                hurt(&b[1]);
            MPI_Mrecv(b, FEW, MPI_INT, &m, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(mode, "waitall")) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(b + i * FEW, FEW, MPI_INT, other, i, MPI_COMM_WORLD, &r[i]);
        MPI_Isend(a, FEW, MPI_INT, other, 1, MPI_COMM_WORLD, &r[2]);
        send(0);
        if (hurts)
            hurt(&b[FEW + 1]);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    } else if (!strcmp(mode, "testany")) {
        if (rank == 0) {
            send(1);
        } else {
            r[0] = MPI_REQUEST_NULL;
            MPI_Irecv(b, FEW, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[1]);
            if (hurts)
                hurt(&b[3]);
            while (!flag)
                MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(mode, "persistent")) {
        MPI_Recv_init(b, FEW, MPI_INT, other, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Ssend_init(a, FEW, MPI_INT, other, 1, MPI_COMM_WORLD, &r[1]);
        for (int i = 0; i < 3; i++) {
            a[0] = i;
            MPI_Startall(2, r);
            if (hurts && i == 1)
                hurt(&b[3]);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < 2; i++)
            MPI_Request_free(&r[i]);
    } else if (!strcmp(mode, "shared")) { /* two receives into one buffer, which is not read afterwards */
        for (int i = 0; i < 2; i++)
            MPI_Irecv(b, FEW, MPI_INT, other, i, MPI_COMM_WORLD, &r[i]);
        for (int i = 0; i < 2; i++) {
            a[1] = i;
            send(i);
        }
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"recv", "large", "column", "sendrecv", "replace", "mrecv",
                                      "waitall", "testany", "persistent"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    many = malloc(MANY * sizeof *many);
    more = malloc(MANY * sizeof *more);
    for (int i = 0; i < MANY; i++)
        many[i] = rank * MANY + i;
    if (argc > 1)
        run(argv[1], 1);
    else
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            run(all[i], 0);
    free(many);
    free(more);
    MPI_Finalize();
    return 0;
}
