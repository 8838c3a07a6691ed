/* 60,000 sends under way at once in each of 2 processes, half of them to each process, completed in every order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 60000 };
static int rank, out[N], in[N], indices[2 * N];
static MPI_Request reqs[2 * N];
static MPI_Status statuses[2 * N];

/* Messages of the process itself come first, then those of the other process. If they alternated, MPI itself would
 * search for a long time. */
static int source(int i) { return i < N / 2 ? rank : 1 - rank; }

static void post(int receives)
{
    for (int i = 0; i < N; i++)
        MPI_Isend(&out[i], 1, MPI_INT, i % 2, 0, MPI_COMM_WORLD, &reqs[i]);
    for (int i = 0; i < N; i++)
        if (receives)
            MPI_Irecv(&in[i], 1, MPI_INT, source(i), 0, MPI_COMM_WORLD, &reqs[N + i]);
        else
            MPI_Recv(&in[i], 1, MPI_INT, source(i), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void all(int n) { MPI_Waitall(n, reqs, statuses); }

static void upwards(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Wait(&reqs[i], MPI_STATUS_IGNORE);
}

static void downwards(int n)
{
    while (n > 0)
        MPI_Wait(&reqs[--n], MPI_STATUS_IGNORE);
}

static void shuffled(int n)
{
    for (; n > 0; n--) {
        int i = rand() % n;
        MPI_Wait(&reqs[i], MPI_STATUS_IGNORE);
        reqs[i] = reqs[n - 1];
    }
}

static void tested(int n)
{
    for (int i = 0; i < n; i++)
        for (int flag = 0; !flag;)
            MPI_Test(&reqs[i], &flag, MPI_STATUS_IGNORE);
}

static void looked_at(int n)
{
    for (int i = 0; i < n; i++)
        for (int flag = 0; !flag;)
            MPI_Request_get_status(reqs[i], &flag, MPI_STATUS_IGNORE);
    all(n);
}

static void any_of_a_few(int n)
{
    for (int i = 0, k; i < n; i++)
        MPI_Waitany(8, &reqs[i / 8 * 8], &k, MPI_STATUS_IGNORE);
}

static void some(int n)
{
    for (int at = 0; at < n; at += 5000) /* MPI itself looks at all of its requests in each call */
        for (int left = 5000, k; left > 0; left -= k)
            MPI_Waitsome(5000, &reqs[at], &k, indices, statuses);
}

static void some_of_a_few(int n)
{
    for (int at = 0; at < n; at += 100)
        for (int left = 100, k; left > 0; left -= k)
            MPI_Testsome(100, &reqs[at], &k, indices, statuses);
}

static void dropped(int n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        MPI_Request_free(&reqs[i]);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(void)
{
    void (*orders[])(int) = {all, upwards, downwards, shuffled, tested, looked_at, any_of_a_few, some,
                             some_of_a_few, dropped};
    int kinds = sizeof orders / sizeof *orders;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 * N; i++)
        reqs[i] = MPI_REQUEST_NULL;
    for (int k = 0; k < kinds; k++) {
        post(0);
        orders[k](N);
    }
    for (int k = 0; k < 4; k++) {
        post(1);
        orders[k](2 * N);
    }
    if (rank == 0)
        printf("%d messages\n", 2 * N * (kinds + 4));
    MPI_Finalize();
    return 0;
}
