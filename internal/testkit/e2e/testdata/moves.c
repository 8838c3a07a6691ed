/* Correct collectives that move data, with an MPI that damages the data of one of them. Four ranks.
 *
 * Each operation is called for some time, so that the analyzer learns the datatypes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern unsigned char *damage;

enum { N = 4, LARGE = 300000 };
static int rank;
static int a[64 * N], b[64 * N];
static int counts[N] = {3, 0, 5, 1}, displs[N] = {40, 0, 2, 20};
static MPI_Datatype columns; /* every fourth int; the next copy begins right after the first int */
static MPI_Comm groups;      /* ranks 0 and 1, ranks 2 and 3 */

static void fill(int turn)
{
    for (int i = 0; i < 64 * N; i++) {
        a[i] = rank * 1000 + i + turn * 7;
        b[i] = -1;
    }
}

static void hurt(int victim, void *at)
{
    if (rank == victim)
        damage = at;
}

static void columns_bcast(int root)
{
    if (rank == root)
        MPI_Bcast(a, 12, MPI_INT, root, MPI_COMM_WORLD);
    else
        MPI_Bcast(b, 3, columns, root, MPI_COMM_WORLD);
}

static void inter(int victim)
{
    int inside = rank < 2, root = inside ? 1 : rank == 3 ? MPI_ROOT : MPI_PROC_NULL;
    if (victim >= 0)
        hurt(victim, b + 7);
    MPI_Gather(a, 5, MPI_INT, b, 5, MPI_INT, root, groups);
}

static void intra(int turn)
{
    int many[N], at[N], sends[N], gets[N], root = turn % N;
    MPI_Datatype from[N], to[N];
    MPI_Bcast(a, 64, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Bcast(NULL, 0, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Bcast(a, 1, MPI_DOUBLE_INT, root, MPI_COMM_WORLD);
    columns_bcast(root);
    fill(turn);
    MPI_Gather(a, 9, MPI_INT, b, 9, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Gather(rank == root ? MPI_IN_PLACE : b + 9 * rank, 9, MPI_INT, b, 9, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Gather(a, 4, MPI_INT, b, 1, columns, root, MPI_COMM_WORLD);
    MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Gatherv(rank == root ? MPI_IN_PLACE : a, counts[rank], MPI_INT, b, counts, displs, MPI_INT,
                root, MPI_COMM_WORLD);
    MPI_Scatter(a, 9, MPI_INT, b, 9, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatter(a, 9, MPI_INT, rank == root ? MPI_IN_PLACE : b, 9, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatterv(a, counts, displs, MPI_INT, b, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatterv(a, counts, displs, MPI_INT, rank == root ? MPI_IN_PLACE : b, counts[rank], MPI_INT,
                 root, MPI_COMM_WORLD);
    MPI_Allgather(a, 9, MPI_INT, b, 9, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 9, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(a, 16, MPI_INT, b, 16, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 16, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        many[i] = (rank + i) % 3;
        at[i] = 16 * (N - 1 - i);
    }
    MPI_Alltoallv(a, many, at, MPI_INT, b, many, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, many, at, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        /* Four ints go to the right as a column, and arrive from the left as four ints. Three ints go to the left. */
        sends[i] = i > rank ? 1 : i == rank ? 2 : 3;
        gets[i] = i > rank ? 3 : i == rank ? 2 : 4;
        many[i] = i == rank ? 3 : 1;
        at[i] = 16 * i * (int)sizeof(int);
        from[i] = i > rank ? columns : MPI_INT;
        to[i] = MPI_INT;
    }
    MPI_Alltoallw(a, sends, at, from, b, gets, at, to, MPI_COMM_WORLD);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, b, many, at, to, MPI_COMM_WORLD);
    /* A reduction, a barrier and a nonblocking one: they are not compared, and must not disturb. */
    MPI_Allreduce(a, b, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request r;
    MPI_Ibcast(b, 8, MPI_INT, root, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void passing(int turn)
{
    MPI_Comm again;
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    MPI_Bcast(b, 11, MPI_INT, 1, again);
    MPI_Comm_free(&again);
    /* Datatypes whose handles are used again for other datatypes, and absolute addresses. */
    for (int i = 0; i < 4; i++) {
        MPI_Datatype t;
        int one[2] = {2, 3};
        MPI_Aint at[2];
        if (i % 2) {
            MPI_Get_address(&a[turn % 8], &at[0]);
            MPI_Get_address(&b[turn % 8], &at[1]);
            MPI_Type_create_hindexed(2, one, at, MPI_INT, &t);
        } else {
            MPI_Type_vector(2 + i, 2, 5, MPI_INT, &t);
        }
        MPI_Type_commit(&t);
        MPI_Bcast(i % 2 ? MPI_BOTTOM : a, 1, t, i, MPI_COMM_WORLD);
        MPI_Type_free(&t);
    }
    int inside = rank < 2;
    int root = inside ? 1 : rank == 3 ? MPI_ROOT : MPI_PROC_NULL;
    inter(-1);
    MPI_Bcast(b, 6, MPI_INT, root, groups);
    MPI_Scatter(a, 5, MPI_INT, b, 5, MPI_INT, root, groups);
    MPI_Allgather(a, inside ? 3 : 7, MPI_INT, b, inside ? 7 : 3, MPI_INT, groups);
    MPI_Alltoall(a, inside ? 3 : 7, MPI_INT, b, inside ? 7 : 3, MPI_INT, groups);
#if MPI_VERSION >= 4
    MPI_Count large[N] = {3, 0, 5, 1};
    MPI_Aint places[N] = {40, 0, 2, 20};
    MPI_Bcast_c(a, 64, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Gatherv_c(a, large[rank], MPI_INT, b, large, places, MPI_INT, 1, MPI_COMM_WORLD);
#endif
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_Datatype vector;
    int go = 1;
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 1, 4, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 4, &columns);
    MPI_Type_commit(&columns);
    MPI_Type_free(&vector);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 1, &groups);
    int *large = calloc(LARGE, sizeof *large);
    double end = MPI_Wtime() + 2;
    for (int turn = 0; go; turn++) {
        fill(turn);
        if (!strcmp(mode, "bcast")) {
            hurt(2, large + LARGE - 1);
            large[LARGE / 2] = rank ? 0 : turn;
            MPI_Bcast(large, LARGE, MPI_INT, 0, MPI_COMM_WORLD);
        } else if (!strcmp(mode, "gatherv")) {
            hurt(1, b + 4); /* in the part of rank 2 */
            MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, 1, MPI_COMM_WORLD);
        } else if (!strcmp(mode, "scatter")) {
            hurt(3, b);
            MPI_Scatter(a, 9, MPI_INT, rank ? b : MPI_IN_PLACE, 9, MPI_INT, 0, MPI_COMM_WORLD);
        } else if (!strcmp(mode, "allgather")) {
            for (int i = 0; i < 9; i++)
                b[9 * rank + i] = a[i];
            hurt(0, b + 20); /* in the part of rank 2 */
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 9, MPI_INT, MPI_COMM_WORLD);
        } else if (!strcmp(mode, "alltoallv")) {
            int many[N], at[N];
            for (int i = 0; i < N; i++)
                many[i] = 1 + (rank + i) % 3, at[i] = 16 * (N - 1 - i);
            hurt(3, (char *)(b + 16 * 2) + 3); /* the part of rank 1 */
            MPI_Alltoallv(a, many, at, MPI_INT, b, many, at, MPI_INT, MPI_COMM_WORLD);
        } else if (!strcmp(mode, "columns")) {
            hurt(1, b + 4);
            columns_bcast(0);
        } else if (!strcmp(mode, "gap")) {
            hurt(1, b + 7); /* between the columns */
            columns_bcast(0);
        } else if (!strcmp(mode, "inter")) {
            inter(3);
        } else {
            intra(turn);
            passing(turn);
        }
        go = MPI_Wtime() < end;
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    free(large);
    MPI_Type_free(&columns);
    MPI_Comm_free(&groups);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
