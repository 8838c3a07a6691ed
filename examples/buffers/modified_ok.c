/* The program changes buffers only when this is allowed: after the operation is complete, which any of
 * several calls may report; in the gaps of a datatype; between the rounds of a persistent operation; where no
 * data are sent. Requests that may have the same handle are swapped. Buffers are read, sent twice at the same
 * time, and received into as a whole or in part. */
/* run: np=2 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 1 << 18 };

struct padded {
    char c;
    double d;
};

static int rank;

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("%s is wrong\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void swapped(void)
{
    int a[2] = {1, 2}, b[2] = {3, 4}, in[2];
    MPI_Request r[2], x;
    if (rank) {
        MPI_Recv(in, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in[1] == 2, "the first message");
        MPI_Recv(in, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in[1] == 4, "the second message");
        return;
    }
    MPI_Isend(a, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(b, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[1]);
    x = r[0];
    r[0] = r[1];
    r[1] = x;
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    b[0] = b[1] = 0;
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    a[0] = a[1] = 0;
}

static void one_by_one(void)
{
    int data[5][3], in[3], index, n, indices[5], flag = 0;
    MPI_Request r[5];
    memset(data, 0, sizeof data);
    if (rank) {
        for (int i = 0; i < 5; i++)
            MPI_Recv(in, 3, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < 5; i++)
        MPI_Isend(data[i], 3, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[i]);
    MPI_Waitany(5, r, &index, MPI_STATUS_IGNORE);
    data[index][1]++;
    MPI_Waitsome(5, r, &n, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        data[indices[i]][1]++;
    while (!flag) {
        MPI_Testany(5, r, &index, &flag, MPI_STATUS_IGNORE);
        if (flag && index != MPI_UNDEFINED)
            data[index][2]++;
    }
    MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
    memset(data, 9, sizeof data);
}

static void told_by_status(int *many)
{
    MPI_Request r;
    int done = 0;
    if (rank) {
        MPI_Recv(many, LONG, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Isend(many, LONG, MPI_INT, 1, 2, MPI_COMM_WORLD, &r);
    while (!done)
        MPI_Request_get_status(r, &done, MPI_STATUS_IGNORE);
    many[5]++;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void with_gaps(void)
{
    int matrix[4][4] = {{0}}, in[4];
    struct padded p[3] = {{1, 2}}, q[3];
    MPI_Datatype column, one, s;
    MPI_Request r[3];
    MPI_Aint at[2] = {0, offsetof(struct padded, d)};
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Type_create_struct(2, (int[]){1, 1}, at, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &s);
    MPI_Type_create_resized(s, 0, sizeof(struct padded), &one);
    MPI_Type_commit(&one);
    struct {
        short s;
        int i;
    } pairs[2] = {{1, 2}, {3, 4}}, back[2];
    if (rank) {
        MPI_Recv(in, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memset(q, 0x55, sizeof q);
        MPI_Recv(q, 3, one, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memset(back, 0x55, sizeof back);
        MPI_Recv(back, 2, MPI_SHORT_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(q[0].d == 2 && back[1].i == 4, "a struct");
    } else {
        MPI_Isend(&matrix[0][2], 1, column, 1, 3, MPI_COMM_WORLD, &r[0]);
        for (int i = 0; i < 4; i++)
            matrix[i][1] = matrix[i][3] = 7;
        MPI_Isend(p, 3, one, 1, 4, MPI_COMM_WORLD, &r[1]);
        for (int i = 0; i < 3; i++)
            memset((char *)&p[i] + 1, 3, sizeof(double) - 1);
        MPI_Isend(pairs, 2, MPI_SHORT_INT, 1, 5, MPI_COMM_WORLD, &r[2]);
        memset((char *)&pairs[0] + sizeof(short), 4, sizeof(int) - sizeof(short));
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&one);
    MPI_Type_free(&s);
}

static void nothing_sent(void)
{
    int a[4] = {0};
    MPI_Request r[3];
    MPI_Isend(a, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(a, 0, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(NULL, 0, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &r[2]);
    a[0] = a[3] = 1;
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

static void persistent(int *many)
{
    MPI_Request r;
    int in[8], few[4] = {0};
    if (rank)
        MPI_Recv_init(in, 8, MPI_INT, 0, 8, MPI_COMM_WORLD, &r);
    else
        MPI_Send_init(many, LONG, MPI_INT, 1, 7, MPI_COMM_WORLD, &r);
    for (int i = 0; i < 3; i++) {
        if (rank) {
            MPI_Start(&r);
            MPI_Recv(many, LONG, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            check(in[0] == i && many[LONG - 1] == i, "a persistent message");
            in[0] = many[0] = -1;
        } else {
            few[0] = many[LONG - 1] = i;
            MPI_Start(&r);
            MPI_Send(few, 4, MPI_INT, 1, 8, MPI_COMM_WORLD);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
    }
    MPI_Request_free(&r);
}

static void both_ways(int *many)
{
    MPI_Request r[4];
    MPI_Status s;
    MPI_Message m;
    int n, value = rank, in = -1, twice = 0;
    /* one buffer for sending and receiving */
    MPI_Sendrecv_replace(many, LONG, MPI_INT, 1 - rank, 9, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 9, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(in == 1 - rank, "what was exchanged");
    /* the same data to two processes, one of them the sender itself */
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 10, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&value, 1, MPI_INT, rank, 10, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(&in, 1, MPI_INT, rank, 10, MPI_COMM_WORLD, &r[2]);
    MPI_Irecv(&twice, 1, MPI_INT, 1 - rank, 10, MPI_COMM_WORLD, &r[3]);
    check(value == rank, "what may be read");
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    check(in == rank && twice == 1 - rank, "what was sent twice");
    /* received after a probe */
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 11, MPI_COMM_WORLD, &r[0]);
    MPI_Mprobe(1 - rank, 11, MPI_COMM_WORLD, &m, &s);
    MPI_Get_count(&s, MPI_INT, &n);
    MPI_Mrecv(many, n, MPI_INT, &m, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    value = -1;
    /* a receive that gets no message */
    MPI_Irecv(many, 4, MPI_INT, 1 - rank, 12, MPI_COMM_WORLD, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    many[0] = 3;
}

static void collective(int *many)
{
    MPI_Request r;
    int mine[2] = {rank, rank}, all[2][2] = {{0}};
    MPI_Ibcast(many, 1000, MPI_INT, 0, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    many[0]++;
    all[rank][0] = all[rank][1] = rank;
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Igather(mine, 2, MPI_INT, all, 2, MPI_INT, 1, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(rank == 0 || all[0][1] == 0, "what was gathered");
    mine[0] = 9;
    MPI_Iallreduce(MPI_IN_PLACE, mine, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(mine[0] == 9 && mine[1] == 1, "a maximum");
    MPI_Ireduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    mine[0] = 10;
}

static void buffered(void)
{
    int a[6] = {1, 2, 3, 4, 5, 6}, in[6], position = 0, size;
    char packed[200];
    char *room = malloc(4096);
    MPI_Request r;
    MPI_Buffer_attach(room, 4096);
    MPI_Ibsend(a, 6, MPI_INT, 1 - rank, 13, MPI_COMM_WORLD, &r);
    MPI_Recv(in, 6, MPI_INT, 1 - rank, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    a[0] = 0;
    MPI_Bsend(a, 6, MPI_INT, 1 - rank, 13, MPI_COMM_WORLD);
    a[0] = 1;
    MPI_Recv(in, 6, MPI_INT, 1 - rank, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(in[0] == 0, "a buffered message");
    MPI_Buffer_detach(&room, &size);
    free(room);
    MPI_Pack(a, 6, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Sendrecv(packed, position, MPI_PACKED, 1 - rank, 14, in, 6, MPI_INT, 1 - rank, 14, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(in[5] == 6, "a packed message");
}

static void absolute(void)
{
    static int a[3] = {1, 2, 3}, b[3];
    MPI_Aint at[2];
    MPI_Datatype t;
    MPI_Request r;
    MPI_Get_address(&a[0], &at[0]);
    MPI_Get_address(&a[2], &at[1]);
    MPI_Type_create_hindexed(2, (int[]){1, 1}, at, MPI_INT, &t);
    MPI_Type_commit(&t);
    MPI_Isend(MPI_BOTTOM, 1, t, 1 - rank, 15, MPI_COMM_WORLD, &r);
    MPI_Type_free(&t);
    a[1] = 0;
    MPI_Recv(b, 3, MPI_INT, 1 - rank, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    check(b[0] == 1 && b[1] == 3, "absolute addresses");
}

/* A freed request is never completed, but an answer shows that its message has arrived. */
static void freed(void)
{
    int data[3] = {1, 2, 3}, in[3], other = 0;
    MPI_Request r;
    for (int i = 0; i < 10; i++) {
        if (rank) {
            MPI_Recv(in, 3, MPI_INT, 0, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(in[0] == 1 + i, "a message whose request was freed");
            MPI_Send(in, 0, MPI_INT, 0, 17, MPI_COMM_WORLD);
            MPI_Recv(in, 1, MPI_INT, 0, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Isend(data, 3, MPI_INT, 1, 16, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
        MPI_Recv(in, 0, MPI_INT, 1, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        data[0]++;
        MPI_Isend(&other, 1, MPI_INT, 1, 18, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *many = calloc(LONG, sizeof *many);
    swapped();
    one_by_one();
    told_by_status(many);
    with_gaps();
    nothing_sent();
    persistent(many);
    both_ways(many);
    collective(many);
    buffered();
    absolute();
    freed();
    free(many);
    if (rank == 0)
        puts("fine");
    MPI_Finalize();
    return 0;
}
