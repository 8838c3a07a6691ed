/* Random messages that are correct by construction: all ranks draw the same random numbers, so in each step the
 * senders, receivers, types, modes, communicators and completing calls agree. Receives name their source or
 * MPI_ANY_SOURCE. They name their tag, or MPI_ANY_TAG if no other message is pending. */
/* run: np=4 args="1 400" timeout=60s */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMMS = 4, PENDING = 64, MAX = 2000 };

static unsigned long state;
static MPI_Comm comms[COMMS];
static MPI_Request pending[PENDING];
static double buffers[PENDING][MAX];
static int n; /* pending requests of this rank */
static int open; /* messages that any rank has begun since all were completed */
static long sum;

static int draw(int below)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (int)((state >> 33) % (unsigned)below);
}

static void complete(int how)
{
    int index, flag, count, indices[PENDING];
    switch (how) {
    case 0:
        MPI_Waitall(n, pending, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < n; i++)
            MPI_Waitany(n, pending, &index, MPI_STATUS_IGNORE);
        break;
    case 2:
        for (int done = 0; done < n; done += count)
            MPI_Waitsome(n, pending, &count, indices, MPI_STATUSES_IGNORE);
        break;
    case 3:
        do
            MPI_Testall(n, pending, &flag, MPI_STATUSES_IGNORE);
        while (!flag);
        break;
    default:
        for (int i = n - 1; i >= 0; i--)
            MPI_Wait(&pending[i], MPI_STATUS_IGNORE);
    }
    n = open = 0;
}

static void message(int rank, int step)
{
    static const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_FLOAT};
    int from = draw(4), to = draw(4), c = draw(2), mode = draw(4), count = draw(10) ? draw(20) : draw(MAX);
    int any = draw(4), wide = draw(2), probe = draw(5);
    MPI_Datatype type = types[draw(4)];
    MPI_Comm comm = comms[c]; /* the first two communicators have all ranks, in opposite orders */
    int sender = c == 0 ? from : 3 - from, receiver = c == 0 ? to : 3 - to;
    if (rank == to && (from == to || probe)) {
        /* MPI_ANY_TAG is safe only if no other message can match. */
        MPI_Irecv(buffers[n], wide ? MAX : count, type, any ? sender : MPI_ANY_SOURCE,
                  any == 1 && !open ? MPI_ANY_TAG : step, comm, &pending[n]);
        n++;
    }
    if (rank == from) {
        switch (mode) {
        case 0:
            MPI_Issend(buffers[n], count, type, receiver, step, comm, &pending[n]);
            break;
        default:
            MPI_Isend(buffers[n], count, type, receiver, step, comm, &pending[n]);
        }
        n++;
    }
    if (rank == to && from != to && !probe) {
        int got;
        MPI_Status status;
        MPI_Message m;
        MPI_Mprobe(any ? sender : MPI_ANY_SOURCE, step, comm, &m, &status);
        MPI_Get_count(&status, type, &got);
        MPI_Mrecv(buffers[PENDING - 1], got, type, &m, MPI_STATUS_IGNORE);
        sum += got;
    }
    open++;
}

static void collective(void)
{
    int kind = draw(6), c = draw(COMMS), root = draw(2), in = draw(100), out = 0, all[8] = {0};
    MPI_Comm comm = comms[c], copy;
    if (comm == MPI_COMM_NULL)
        return;
    switch (kind) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        MPI_Bcast(&in, 1, MPI_INT, root, comm);
        break;
    case 2:
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
        break;
    case 3:
        MPI_Allgather(&in, 1, MPI_INT, all, 1, MPI_INT, comm);
        break;
    case 4:
        MPI_Comm_dup(comm, &copy);
        MPI_Reduce(&in, &out, 1, MPI_INT, MPI_MAX, root, copy);
        MPI_Comm_free(&copy);
        break;
    default:
        MPI_Iallreduce(&in, &all[1], 1, MPI_INT, MPI_SUM, comm, &pending[n]);
        MPI_Wait(&pending[n], MPI_STATUS_IGNORE);
    }
    sum += out;
}

int main(int argc, char **argv)
{
    int rank, steps;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    steps = argc > 2 ? atoi(argv[2]) : 600;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &comms[3]);
    for (int step = 0; step < steps; step++) {
        int what = draw(10), how = draw(5);
        if (what < 7)
            message(rank, step);
        else if (what < 9)
            collective();
        if (what == 9 || open >= PENDING / 2 - 2)
            complete(how);
    }
    complete(0);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    if (comms[3] != MPI_COMM_NULL)
        MPI_Comm_free(&comms[3]);
    printf("rank %d: %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
