/* Nonblocking and persistent collectives that move data, on four ranks. All calls are correct, but MPI damages the data
 * that one of them delivers. Some checksums need more knowledge about the datatypes. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* Open MPI 4.1 has these functions with the prefix MPIX_ */
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#endif

extern unsigned char *damage;

enum { N = 4 };
static int rank;
static int a[64 * N], b[64 * N], c[64 * N];
static int counts[N] = {3, 0, 5, 1}, displs[N] = {40, 0, 2, 20};

static void fill(int turn)
{
    for (int i = 0; i < 64 * N; i++) {
        a[i] = rank * 1000 + i + turn * 7;
        b[i] = c[i] = -1;
    }
}

static void hurt(int victim, void *at)
{
    if (rank == victim)
        damage = at;
}

/* A column of a matrix of four columns. */
static MPI_Datatype column(void)
{
    MPI_Datatype t;
    MPI_Type_vector(4, 1, 4, MPI_INT, &t);
    MPI_Type_commit(&t);
    return t;
}

static void damaged(const char *mode)
{
    MPI_Request r[2];
    MPI_Datatype t;
    struct {
        double value;
        int at;
    } pair[2] = {{rank, 1}, {rank, 2}};
    int flag = 0, index, n, indices[2];
    fill(1);
    if (!strcmp(mode, "wait")) {
        MPI_Ibcast(rank ? b : a, 9, MPI_INT, 0, MPI_COMM_WORLD, &r[0]);
        hurt(2, b + 8);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "waitall")) {
        MPI_Igatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Ibcast(c, 3, MPI_INT, 2, MPI_COMM_WORLD, &r[1]);
        hurt(1, b + 4); /* in the part of rank 2 */
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    } else if (!strcmp(mode, "waitany")) {
        r[0] = MPI_REQUEST_NULL;
        MPI_Iscatter(a, 9, MPI_INT, b, 9, MPI_INT, 0, MPI_COMM_WORLD, &r[1]);
        hurt(3, b);
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "waitsome")) {
        r[0] = MPI_REQUEST_NULL;
        MPI_Iallgather(a, 9, MPI_INT, b, 9, MPI_INT, MPI_COMM_WORLD, &r[1]);
        hurt(0, b + 20); /* in the part of rank 2 */
        MPI_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
    } else if (!strcmp(mode, "test")) {
        MPI_Ialltoall(a, 4, MPI_INT, b, 4, MPI_INT, MPI_COMM_WORLD, &r[0]);
        for (hurt(3, b + 4); !flag;)
            MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "status")) {
        /* The operation is complete when this call says so. Then the program may change the data. */
        MPI_Ibcast(rank ? b : a, 8, MPI_INT, 0, MPI_COMM_WORLD, &r[0]);
        for (hurt(1, b); !flag;)
            MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
        fill(2);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "persistent")) {
        MPI_Bcast_init(rank ? b : a, 9, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
        for (int i = 0; i < 3; i++) {
            fill(i);
            MPI_Start(&r[0]);
            if (i == 1)
                hurt(2, b + 1);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&r[0]);
    } else if (!strcmp(mode, "pair")) {
        hurt(3, &pair[1].at);
        MPI_Bcast(pair, 2, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(mode, "gap")) {
        hurt(3, (char *)&pair[0].at + 4);
        MPI_Bcast(pair, 2, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(mode, "committed")) {
        t = column();
        hurt(1, b + 12);
        if (rank)
            MPI_Bcast(b, 1, t, 0, MPI_COMM_WORLD);
        else
            MPI_Bcast(a, 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Type_free(&t);
    } else if (!strcmp(mode, "freed")) {
        /* A datatype may be freed while an operation uses it. */
        t = column();
        MPI_Ibcast(rank ? b : a, 2, t, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Type_free(&t);
        MPI_Type_contiguous(3, MPI_INT, &t);
        MPI_Type_commit(&t);
        hurt(1, b + 12);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Type_free(&t);
    }
}

static void nonblocking(int turn)
{
    MPI_Request r[8];
    MPI_Datatype t, types[N] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    int n, index, flag, indices[8], at[N] = {0, 64, 32, 96}, ones[N] = {1, 1, 1, 1};
    /* Several at the same time, completed in any order, some of them without data. */
    MPI_Ibcast(c, 5, MPI_INT, turn % N, MPI_COMM_WORLD, &r[0]);
    MPI_Ibcast(c + 8, 0, MPI_INT, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Iallgather(a, 3, MPI_INT, b, 3, MPI_INT, MPI_COMM_WORLD, &r[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[3]);
    MPI_Igatherv(a + 64, counts[rank], MPI_INT, b + 64, counts, displs, MPI_INT, 2, MPI_COMM_WORLD, &r[4]);
    MPI_Iscatter(a + 128, 2, MPI_INT, rank == 1 ? MPI_IN_PLACE : b + 128, 2, MPI_INT, 1, MPI_COMM_WORLD, &r[5]);
    MPI_Ialltoallw(a, ones, at, types, c + 128, ones, at, types, MPI_COMM_WORLD, &r[6]);
    MPI_Iallreduce(a, c + 64, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[7]);
    MPI_Wait(&r[6], MPI_STATUS_IGNORE);
    for (int left = 7; left;) {
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
        left -= index != MPI_UNDEFINED;
        MPI_Testsome(8, r, &n, indices, MPI_STATUSES_IGNORE);
        left -= n > 0 ? n : 0;
        MPI_Testany(8, r, &index, &flag, MPI_STATUS_IGNORE);
        left -= flag && index != MPI_UNDEFINED;
    }
    /* In place: the data to send are already where they must be. */
    for (int i = 0; i < 3; i++)
        c[3 * rank + i] = a[i];
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c, 3, MPI_INT, MPI_COMM_WORLD, &r[0]);
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    /* On MPI_COMM_SELF, where the operations are complete at once and handles may be equal. */
    for (int i = 0; i < 4; i++)
        MPI_Iallgather(a + i, 1, MPI_INT, c + i, 1, MPI_INT, MPI_COMM_SELF, &r[i]);
    for (int i = 3; i >= 0; i--) {
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        a[i] = c[i] = 17;
    }
    /* A datatype that is freed before the data arrive, and another one with its handle.
     * The buffer is used again at once. */
    for (int i = 0; i < 4; i++) {
        MPI_Type_vector(2 + i, 1, 3, MPI_INT, &t);
        MPI_Type_commit(&t);
        MPI_Ibcast(a, 2, t, i, MPI_COMM_WORLD, &r[0]);
        MPI_Type_free(&t);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        fill(turn + i);
    }
    /* The operation is complete before the program waits for it. */
    MPI_Ibcast(a, 9, MPI_INT, 0, MPI_COMM_WORLD, &r[0]);
    for (flag = 0; !flag;)
        MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    fill(turn);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

static void persistent(int turn)
{
    MPI_Request r[2];
    int sends[N], gets[N], at[N];
    for (int i = 0; i < N; i++) {
        sends[i] = (rank + i) % 3;
        gets[i] = (rank + i) % 3;
        at[i] = 16 * i;
    }
    MPI_Alltoallv_init(a, sends, at, MPI_INT, b, gets, at, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Bcast_init(c, 7, MPI_INT, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    for (int i = 0; i < 5; i++) {
        fill(turn + i);
        c[i] = rank + i;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        c[i] = -1;
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE); /* the requests are inactive now */
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&r[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        damaged(argv[1]);
    else
        for (int turn = 0; turn < 20; turn++) {
            fill(turn);
            nonblocking(turn);
            persistent(turn);
            damaged("");
        }
    MPI_Finalize();
    return 0;
}
