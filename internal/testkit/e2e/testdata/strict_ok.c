/* Collectives of all kinds on communicators, windows and files, blocking, nonblocking and persistent. Usage: strict_ok
 * ROUNDS. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("rank %d: line %d: wrong: %s\n", rank, __LINE__, #condition);                                       \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                                              \
        }                                                                                                              \
    } while (0)

static void communicators(int round)
{
    MPI_Comm half, copy, both, merged, same;
    MPI_Request r;
    int x = rank, sum, high = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, round, &both);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_MAX, both);
    CHECK(sum % 2 != rank % 2);
    MPI_Intercomm_merge(both, high, &merged);
    MPI_Bcast(&x, 1, MPI_INT, size - 1, merged);
    MPI_Comm_idup(merged, &same, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Barrier(same);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Comm_free(&same);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

static void data(int round)
{
    int *v = calloc((size_t)size, sizeof *v), *w = calloc((size_t)size, sizeof *w), x = rank, sum;
    int root = round % size;
    MPI_Gather(&x, 1, MPI_INT, v, 1, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatter(v, 1, MPI_INT, &x, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(x == rank);
    MPI_Allgather(&x, 1, MPI_INT, v, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(v, 1, MPI_INT, w, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(v[i] == i && w[i] == rank);
    MPI_Reduce(&x, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    CHECK(rank != root || sum == size * (size - 1) / 2);
    MPI_Scan(&x, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(sum == rank);
    free(v);
    free(w);
}

static void nonblocking(int round)
{
    int x = rank, y = -1, z = round, index, flag = 0;
    MPI_Request r[3];
    MPI_Irecv(&y, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Ibcast(&z, 1, MPI_INT, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[2]);
    MPI_Send(&x, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    CHECK(y == (rank + 1) % size && z == round);
    MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[0]);
    while (!flag)
        MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    CHECK(y == size - 1);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
    MPI_Bcast_init(&z, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&r[0]);
#endif
}

static void memory_and_files(void)
{
    int x = rank, y = -1, z, *mine; /* the value is not checked: MPICH 4.0.2 may get it wrong */
    MPI_Win win;
    MPI_File f;
    MPI_Win_allocate(sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    *mine = x;
    MPI_Win_fence(0, win);
    MPI_Get(&y, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    /* Passive target: during this, the target may wait in the barrier, or before it. */
    MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
    MPI_Get(&z, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_unlock((rank + 1) % size, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_File_open(MPI_COMM_WORLD, "strict_ok.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(f, rank, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(f);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all_begin(f, (rank + 1) % size, &y, 1, MPI_INT);
    MPI_File_read_at_all_end(f, &y, MPI_STATUS_IGNORE);
    CHECK(y == (rank + 1) % size);
    MPI_File_close(&f);
}

/* One process comes to the collective only after another one, which is held before the collective, has received a large
 * message. The message is too large to be sent before it is received. */
static void progress(void)
{
    const int n = 1 << 20;
    char *b = calloc((size_t)n, 1);
    MPI_Request r;
    if (rank == 0)
        MPI_Irecv(b, n, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &r);
    if (rank == 1) {
        b[n - 1] = 7;
        MPI_Send(b, n, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(b[n - 1] == 7);
    }
    free(b);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < atoi(argv[1]); i++) {
        communicators(i);
        data(i);
        nonblocking(i);
        memory_and_files();
        progress();
    }
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
